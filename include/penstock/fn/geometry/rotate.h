// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct RotateArgs {
  Arg<double> angle = {};
  Arg<Floats> axis = {};
  Constant<DType> dtype = {};
  Constant<double> fill_value = {};
  Constant<InterpType> interp_type = {};
  Constant<bool> keep_size = {};
  Arg<Floats> size = {};
  CommonArgs common = {};
};
/// Rotates pictures counter-clockwise around their centre, and volumes around an axis through theirs. The canvas grows
/// so that all of the input is seen, unless `keep_size` or `size` says otherwise.
inline Node rotate(Graph& graph, Node input, const RotateArgs& args = {}) {
  return Call("rotate", {input}, args.common)
      .arg("angle", args.angle)
      .arg("axis", args.axis)
      .arg("dtype", args.dtype)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("keep_size", args.keep_size)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
