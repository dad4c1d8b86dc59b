// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct VarianceArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<int64_t> ddof = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// The variance of elements around a given mean.
inline Node variance(Graph& graph, Node data, Node mean, const VarianceArgs& args = {}) {
  return Call("reductions.variance", {data, mean}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("ddof", args.ddof)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
