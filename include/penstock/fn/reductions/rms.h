// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

struct RmsArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Constant<bool> keep_dims = {};
  CommonArgs common = {};
};
/// The root of the average of the squares of elements.
inline Node rms(Graph& graph, Node data, const RmsArgs& args = {}) {
  return Call("reductions.rms", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
