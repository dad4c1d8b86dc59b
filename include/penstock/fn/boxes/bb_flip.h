// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of bb_flip().
struct BbFlipArgs {
  /// Refuse boxes with numbers that are not finite, on GPUs, too; otherwise those stay what they are. Default: `true`.
  Constant<bool> check_boxes = {};
  /// Mirror left to right. Default: `1`.
  Arg<int64_t> horizontal = {};
  /// Boxes are left, top, right, bottom. Default: `false`.
  Constant<bool> ltrb = {};
  /// Mirror top to bottom. Default: `0`.
  Arg<int64_t> vertical = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Flips boxes as their picture is flipped. Coordinates are parts of the picture's extents.
/// @param boxes  FLOAT, four numbers for each box: x, y, width, height, or as `ltrb` says.
/// @return The same boxes in the flipped picture.
inline Node bb_flip(Graph& graph, Node boxes, const BbFlipArgs& args = {}) {
  return Call("bb_flip", {boxes}, args.common)
      .arg("check_boxes", args.check_boxes)
      .arg("horizontal", args.horizontal)
      .arg("ltrb", args.ltrb)
      .arg("vertical", args.vertical)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
