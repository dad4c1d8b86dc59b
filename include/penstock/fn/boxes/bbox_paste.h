// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of bbox_paste().
struct BboxPasteArgs {
  /// Refuse boxes with numbers that are not finite, on GPUs, too; otherwise those stay what they are. Default: `true`.
  Constant<bool> check_boxes = {};
  /// Boxes are left, top, right, bottom. Default: `false`.
  Constant<bool> ltrb = {};
  /// Where the picture lies: 0 at the left edge, 1 at the right. Default: `0.5`.
  Arg<double> paste_x = {};
  /// Where the picture lies: 0 at the top, 1 at the bottom. Default: `0.5`.
  Arg<double> paste_y = {};
  /// Extent of the canvas to that of the picture, 1 or more. Required.
  Arg<double> ratio = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Moves boxes to where `paste` lays their picture on a larger canvas; give it the same arguments.
/// @param boxes  FLOAT, four numbers for each box: x, y, width, height, or as `ltrb` says.
/// @return The same boxes, in parts of the canvas's extents.
inline Node bbox_paste(Graph& graph, Node boxes, const BboxPasteArgs& args = {}) {
  return Call("bbox_paste", {boxes}, args.common)
      .arg("check_boxes", args.check_boxes)
      .arg("ltrb", args.ltrb)
      .arg("paste_x", args.paste_x)
      .arg("paste_y", args.paste_y)
      .arg("ratio", args.ratio)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
