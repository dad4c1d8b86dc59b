// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct MeanSquareArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// Averages the squares of elements.
inline Node mean_square(Graph& graph, Node data, const MeanSquareArgs& args = {}) {
  return Call("reductions.mean_square", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
