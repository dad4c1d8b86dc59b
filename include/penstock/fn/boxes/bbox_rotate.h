// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of bbox_rotate().
struct BboxRotateArgs {
  /// Degrees, counter-clockwise. Required.
  Arg<double> angle = {};
  /// xyXY or xyWH, or these letters in another order. Default: `"xyXY"`.
  Constant<std::string> bbox_layout = {};
  /// Boxes are in parts of the picture's extents, and become parts of the canvas's; otherwise both are in pixels.
  /// Default: `true`.
  Constant<bool> bbox_normalized = {};
  /// Refuse boxes that are turned around or not finite; otherwise those are turned back, and these left out. Default:
  /// `true`.
  Constant<bool> check_boxes = {};
  /// Shape of the picture that is rotated. Required.
  Arg<Ints> input_shape = {};
  /// The canvas is as large as the picture. Default: `false`.
  Constant<bool> keep_size = {};
  /// "expand": boxes hold all that they held, "fixed": they keep their extents, "halfway": in between. Default:
  /// `"expand"`.
  Constant<std::string> mode = {};
  /// Boxes are left out of which less than this part stays on the canvas. Default: `0.1`.
  Constant<double> remove_threshold = {};
  /// Which extent in it is H and which is W. Default: `"HW"`.
  Constant<std::string> shape_layout = {};
  /// Height and width of the canvas. Default: `{}`.
  Arg<Floats> size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Moves boxes to where `rotate` brings what they hold; give it the same `angle`, `keep_size` and `size`, and the shape
/// of the picture before. Boxes of which too little stays on the canvas are left out.
/// @param boxes  FLOAT, a row of four numbers for each box.
/// @param labels  One for each box; any type. May be left out: `{}`.
/// @return in this order:
/// - `boxes`: The rotated boxes, and behind them the labels of these, if there are labels.
inline std::vector<Node> bbox_rotate(Graph& graph, Node boxes, std::optional<Node> labels,
                                     const BboxRotateArgs& args = {}) {
  return Call("bbox_rotate", {boxes}, args.common)
      .input(labels)
      .arg("angle", args.angle)
      .arg("bbox_layout", args.bbox_layout)
      .arg("bbox_normalized", args.bbox_normalized)
      .arg("check_boxes", args.check_boxes)
      .arg("input_shape", args.input_shape)
      .arg("keep_size", args.keep_size)
      .arg("mode", args.mode)
      .arg("remove_threshold", args.remove_threshold)
      .arg("shape_layout", args.shape_layout)
      .arg("size", args.size)
      .add(graph);
}

}  // namespace penstock::fn
