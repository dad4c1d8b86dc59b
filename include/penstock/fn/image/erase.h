// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of erase().
struct EraseArgs {
  /// Where boxes begin: a number for each axis that is named, box after box. Zero when not given. Default: `{}`.
  Arg<Floats> anchor = {};
  /// The same by number; `axis_names` takes precedence. Default: `{}`.
  Constant<Ints> axes = {};
  /// Axes that `anchor` and `shape` speak of; others are filled whole. Default: `"HW"`.
  Constant<std::string> axis_names = {};
  /// Whether `anchor` is the centre of a box. Default: `false`.
  Constant<bool> centered_anchor = {};
  /// Value in the boxes: one, or one for each channel. Default: `{0.0}`.
  Arg<Floats> fill_value = {};
  /// Whether `anchor` and `shape` are in parts of the sample's extents. Default: `false`.
  Constant<bool> normalized = {};
  /// Whether `anchor` is. Excludes `normalized`.
  Constant<bool> normalized_anchor = {};
  /// Whether `shape` is. Excludes `normalized`.
  Constant<bool> normalized_shape = {};
  /// Extents of the boxes, likewise. Default: `{}`.
  Arg<Floats> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Fills one or more boxes of each sample. Boxes that stick out of a sample are cut down to it.
/// @param data  Tensor of any shape and type.
/// @return Shape, type and layout of the input.
inline Node erase(Graph& graph, Node data, const EraseArgs& args = {}) {
  return Call("erase", {data}, args.common)
      .arg("anchor", args.anchor)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("centered_anchor", args.centered_anchor)
      .arg("fill_value", args.fill_value)
      .arg("normalized", args.normalized)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
