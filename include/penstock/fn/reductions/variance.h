// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

/// Arguments of variance().
struct VarianceArgs {
  /// Axes to reduce; negative ones count from the last. All when not given. Default: `{}`.
  Constant<Ints> axes = {};
  /// The same by letters of the layout. Default: `""`.
  Constant<std::string> axis_names = {};
  /// The sum of squares is divided by the number of elements less this one. Where that is not positive, the result is
  /// no finite number. Default: `0`.
  Constant<int64_t> ddof = {};
  /// Whether reduced axes stay, with one element. Default: `false`.
  Constant<bool> keep_dims = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The variance of elements around a given mean.
/// @param data  Tensor of any shape and type.
/// @param mean  The mean of each group, as `reductions.mean` gives it for the same axes.
/// @return FLOAT.
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
