// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct StdDevArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<int64_t> ddof = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// The standard deviation of elements around a given mean.
inline Node std_dev(Graph& graph, Node data, Node mean, const StdDevArgs& args = {}) {
  return Call("reductions.std_dev", {data, mean}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("ddof", args.ddof)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
