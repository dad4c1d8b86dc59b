// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of one_hot().
struct OneHotArgs {
  /// Position of the axis of classes; -1 is the last. Default: `-1`.
  Constant<int64_t> axis = {};
  /// Letter of the axis of classes in the layout. Without it the layout is cleared.
  Constant<std::string> axis_name = {};
  /// Type of the output. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// Number of classes. Default: `0`.
  Constant<int64_t> num_classes = {};
  /// Value everywhere else. Default: `0.0`.
  Constant<double> off_value = {};
  /// Value at the label's place. Default: `1.0`.
  Constant<double> on_value = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a
/// vector whatever its number of axes.
/// @param labels  Class numbers. Those outside [0, num_classes) give `off_value` only.
/// @return The labels with an axis of `num_classes` more.
inline Node one_hot(Graph& graph, Node labels, const OneHotArgs& args = {}) {
  return Call("one_hot", {labels}, args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .arg("dtype", args.dtype)
      .arg("num_classes", args.num_classes)
      .arg("off_value", args.off_value)
      .arg("on_value", args.on_value)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
