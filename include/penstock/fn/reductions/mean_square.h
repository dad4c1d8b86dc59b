// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

/// Arguments of mean_square().
struct MeanSquareArgs {
  /// Axes to reduce; negative ones count from the last. All when not given. Default: `{}`.
  Constant<Ints> axes = {};
  /// The same by letters of the layout. Default: `""`.
  Constant<std::string> axis_names = {};
  /// Type of the output.
  Constant<DType> dtype = {};
  /// Whether reduced axes stay, with one element. Default: `false`.
  Constant<bool> keep_dims = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Averages the squares of elements.
/// @param data  Tensor of any shape and type.
/// @return FLOAT, unless `dtype` says otherwise.
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
