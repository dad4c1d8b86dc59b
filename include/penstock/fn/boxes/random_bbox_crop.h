// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct RandomBboxCropArgs {
  Constant<bool> all_boxes_above_threshold = {};
  Constant<bool> allow_no_crop = {};
  Constant<Floats> aspect_ratio = {};
  Constant<std::string> bbox_layout = {};
  Constant<double> bbox_prune_threshold = {};
  Constant<bool> clamp_boxes = {};
  Arg<Ints> crop_shape = {};
  Arg<Ints> input_shape = {};
  Constant<bool> ltrb = {};
  Constant<int64_t> num_attempts = {};
  Constant<bool> output_bbox_indices = {};
  Constant<Floats> scaling = {};
  Constant<int64_t> seed = {};
  Constant<std::string> shape_layout = {};
  Constant<std::string> threshold_type = {};
  Constant<Floats> thresholds = {};
  Constant<int64_t> total_num_attempts = {};
  CommonArgs common = {};
};
/// Draws windows until one shows enough of the boxes on a picture, and tells the boxes in it. `slice` cuts the picture.
inline std::vector<Node> random_bbox_crop(Graph& graph, Node boxes, std::optional<Node> labels,
                                          const RandomBboxCropArgs& args = {}) {
  return Call("random_bbox_crop", {boxes}, args.common)
      .input(labels)
      .arg("all_boxes_above_threshold", args.all_boxes_above_threshold)
      .arg("allow_no_crop", args.allow_no_crop)
      .arg("aspect_ratio", args.aspect_ratio)
      .arg("bbox_layout", args.bbox_layout)
      .arg("bbox_prune_threshold", args.bbox_prune_threshold)
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
