// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SsdRandomCropArgs {
  Constant<bool> clamp_boxes = {};
  Constant<int64_t> num_attempts = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Cuts pictures as SSD's training does: to a random window that shares at least 0, 0.1, 0.3, 0.5, 0.7 or 0.9 (drawn
/// per sample) with each box in parts of both together, or not at all. `random_bbox_crop` is told more.
inline std::array<Node, 3> ssd_random_crop(Graph& graph, Node images, Node boxes, Node labels,
                                           const SsdRandomCropArgs& args = {}) {
  return Call("ssd_random_crop", {images, boxes, labels}, args.common)
      .arg("clamp_boxes", args.clamp_boxes)
      .arg("num_attempts", args.num_attempts)
      .arg("seed", args.seed)
      .add<3>(graph);
}

}  // namespace penstock::fn
