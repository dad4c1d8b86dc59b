// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of random_bbox_crop().
struct RandomBboxCropArgs {
  /// Whether all boxes have to be shown so far, or one of them. Default: `true`.
  Constant<bool> all_boxes_above_threshold = {};
  /// Whether the whole picture is one more of the `thresholds` to draw from. Default: `true`.
  Constant<bool> allow_no_crop = {};
  /// Least and greatest width / height of windows, of pixels where `input_shape` is given; for volumes three ranges,
  /// x/y, x/z and y/z, or one for all. Default: `{1.0, 1.0}`.
  Constant<Floats> aspect_ratio = {};
  /// What the numbers of a box are: x, y, z its lower ends, X, Y, Z its upper ones, W, H, D its extents. By default
  /// xyXY or xyzXYZ. Default: `""`.
  Constant<std::string> bbox_layout = {};
  /// Boxes stay of which the window shows this part or more. By default those whose middle it shows.
  Constant<double> bbox_prune_threshold = {};
  /// Refuse boxes that are turned around; otherwise windows never show enough of them. Default: `true`.
  Constant<bool> check_boxes = {};
  /// Cut boxes to [0, 1], which rounding may have put slightly outside, instead of refusing them. Default: `false`.
  Constant<bool> clamp_boxes = {};
  /// Extents of the window in pixels, instead of drawn ones. Where the picture is smaller, the window holds all of it.
  Arg<Ints> crop_shape = {};
  /// Extents of the picture in pixels.
  Arg<Ints> input_shape = {};
  /// Older: False for a `bbox_layout` of xyWH. Default: `true`.
  Constant<bool> ltrb = {};
  /// Windows that are tried before another threshold is drawn. Default: `1`.
  Constant<int64_t> num_attempts = {};
  /// Also tell which boxes are in the window. Default: `false`.
  Constant<bool> output_bbox_indices = {};
  /// Least and greatest extent of windows, in parts of the picture's. Default: `{1.0, 1.0}`.
  Constant<Floats> scaling = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Order of both: a permutation of WH or WHD. Default: `""`.
  Constant<std::string> shape_layout = {};
  /// "iou": what box and window share, in parts of both together; "overlap": in parts of the box. Default: `"iou"`.
  Constant<std::string> threshold_type = {};
  /// Each sample draws one of these: as much as that the window has to show of the boxes. Default: `{0.0}`.
  Constant<Floats> thresholds = {};
  /// Windows that are tried at most: then the best one is taken. Without it, a sample for which none of 100,000 will do
  /// is an error.
  Constant<int64_t> total_num_attempts = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Draws windows until one shows enough of the boxes on a picture, and tells the boxes in it. `slice` cuts the picture.
/// @param boxes  FLOAT, a row for each box, in parts of the picture's extents.
/// @param labels  One for each box; any type. May be left out: `{}`.
/// @return in this order:
/// - `anchor`: FLOAT, x and y (and z) of the window's corner; in pixels with `crop_shape`.
/// - `shape`: FLOAT, its width and height (and depth), likewise.
/// - `boxes`: The boxes that are in the window, in parts of its extents. Behind them the labels of these, if there are
/// labels, and with `output_bbox_indices` their places among all, INT32.
inline std::vector<Node> random_bbox_crop(Graph& graph, Node boxes, std::optional<Node> labels,
                                          const RandomBboxCropArgs& args = {}) {
  return Call("random_bbox_crop", {boxes}, args.common)
      .input(labels)
      .arg("all_boxes_above_threshold", args.all_boxes_above_threshold)
      .arg("allow_no_crop", args.allow_no_crop)
      .arg("aspect_ratio", args.aspect_ratio)
      .arg("bbox_layout", args.bbox_layout)
      .arg("bbox_prune_threshold", args.bbox_prune_threshold)
      .arg("check_boxes", args.check_boxes)
      .arg("clamp_boxes", args.clamp_boxes)
      .arg("crop_shape", args.crop_shape)
      .arg("input_shape", args.input_shape)
      .arg("ltrb", args.ltrb)
      .arg("num_attempts", args.num_attempts)
      .arg("output_bbox_indices", args.output_bbox_indices)
      .arg("scaling", args.scaling)
      .arg("seed", args.seed)
      .arg("shape_layout", args.shape_layout)
      .arg("threshold_type", args.threshold_type)
      .arg("thresholds", args.thresholds)
      .arg("total_num_attempts", args.total_num_attempts)
      .add(graph);
}

}  // namespace penstock::fn
