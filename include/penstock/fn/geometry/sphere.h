// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SphereArgs {
  Constant<double> fill_value = {};
  Constant<InterpType> interp_type = {};
  Arg<int64_t> mask = {};
  CommonArgs common = {};
};
/// Shows pictures as through a ball of glass in their middle, whose radius is half the longer side.
inline Node sphere(Graph& graph, Node input, const SphereArgs& args = {}) {
  return Call("sphere", {input}, args.common)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("mask", args.mask)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
