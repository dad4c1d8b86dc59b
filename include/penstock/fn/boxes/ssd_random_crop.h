// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of ssd_random_crop().
struct SsdRandomCropArgs {
  /// Refuse boxes that are turned around; otherwise windows never show enough of them. Default: `true`.
  Constant<bool> check_boxes = {};
  /// Cut boxes to [0, 1], which rounding may have put slightly outside, instead of refusing them. Default: `false`.
  Constant<bool> clamp_boxes = {};
  /// Windows that are tried before another threshold is drawn. Default: `1`.
  Constant<int64_t> num_attempts = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Cuts pictures as SSD's training does: to a random window that shares at least 0, 0.1, 0.3, 0.5, 0.7 or 0.9 (drawn
/// per sample) with each box in parts of both together, or not at all. `random_bbox_crop` is told more.
/// @param images  Pictures of any type. Layouts: HWC.
/// @param boxes  FLOAT, rows of left, top, right, bottom in parts of the picture's extents.
/// @param labels  One for each box; any type.
/// @return in this order:
/// - `images`: The window.
/// - `boxes`: Those whose middle is in the window, in parts of its extents.
/// - `labels`: The labels of these.
inline std::array<Node, 3> ssd_random_crop(Graph& graph, Node images, Node boxes, Node labels,
                                           const SsdRandomCropArgs& args = {}) {
  return Call("ssd_random_crop", {images, boxes, labels}, args.common)
      .arg("check_boxes", args.check_boxes)
      .arg("clamp_boxes", args.clamp_boxes)
      .arg("num_attempts", args.num_attempts)
      .arg("seed", args.seed)
      .add<3>(graph);
}

}  // namespace penstock::fn
