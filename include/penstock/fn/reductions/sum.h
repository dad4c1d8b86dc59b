// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct SumArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// Sums elements.
inline Node sum(Graph& graph, Node data, const SumArgs& args = {}) {
  return Call("reductions.sum", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
