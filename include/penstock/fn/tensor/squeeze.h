// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SqueezeArgs {
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  CommonArgs common = {};
};
/// Removes axes of extent 1, of a tensor without elements any that leave it without, and touches no data.
inline Node squeeze(Graph& graph, Node data, const SqueezeArgs& args = {}) {
  return Call("squeeze", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
