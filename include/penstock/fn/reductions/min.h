// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct MinArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// Finds the least element. NaN counts as such.
inline Node min(Graph& graph, Node data, const MinArgs& args = {}) {
  return Call("reductions.min", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
