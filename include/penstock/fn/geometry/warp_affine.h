// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct WarpAffineArgs {
  Constant<DType> dtype = {};
  Constant<double> fill_value = {};
  Constant<InterpType> interp_type = {};
  Constant<bool> inverse_map = {};
  Arg<Floats> matrix = {};
  Arg<Floats> size = {};
  CommonArgs common = {};
};
/// Looks pictures and volumes up at the places that an affine map says. The corner of the first pixel is the origin;
/// its centre is at .5.
inline Node warp_affine(Graph& graph, Node data, std::optional<Node> mtx, const WarpAffineArgs& args = {}) {
  return Call("warp_affine", {data}, args.common)
      .input(mtx)
      .arg("dtype", args.dtype)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("inverse_map", args.inverse_map)
      .arg("matrix", args.matrix)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
