// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of box_encoder().
struct BoxEncoderArgs {
  /// Left, top, right, bottom of each anchor. Required.
  Constant<Floats> anchors = {};
  /// Refuse boxes that are turned around or not finite. Default: `true`.
  Constant<bool> check_boxes = {};
  /// What an anchor and its box share at least, in parts of both together. Default: `0.5`.
  Constant<double> criteria = {};
  /// For x, y, width and height. Default: `{0.0, 0.0, 0.0, 0.0}`.
  Constant<Floats> means = {};
  /// Give ((box - anchor) / anchor's extent - means) / stds of the middle and (log(box / anchor) - means) / stds of the
  /// extents, instead of boxes. Default: `false`.
  Constant<bool> offset = {};
  /// Multiplies boxes and anchors before that. Default: `1.0`.
  Constant<double> scale = {};
  /// For x, y, width and height. Default: `{1.0, 1.0, 1.0, 1.0}`.
  Constant<Floats> stds = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Gives each anchor a box, as SSD's training wants it: to the anchor that shares most with a box that box, to each
/// other one the box that it shares most with, if that is more than `criteria` of both together. Of boxes and anchors
/// that share as much the last one counts.
/// @param boxes  FLOAT, rows of left, top, right, bottom.
/// @param labels  INT32, one for each box.
/// @return in this order:
/// - `boxes`: FLOAT, a row for each anchor: x and y of the middle, width and height of its box, or of the anchor itself
/// where it has none. With `offset` the distance of both, 0 where there is no box.
/// - `labels`: INT32, one for each anchor: its box's label, or 0.
inline std::array<Node, 2> box_encoder(Graph& graph, Node boxes, Node labels, const BoxEncoderArgs& args = {}) {
  return Call("box_encoder", {boxes, labels}, args.common)
      .arg("anchors", args.anchors)
      .arg("check_boxes", args.check_boxes)
      .arg("criteria", args.criteria)
      .arg("means", args.means)
      .arg("offset", args.offset)
      .arg("scale", args.scale)
      .arg("stds", args.stds)
      .add<2>(graph);
}

}  // namespace penstock::fn
