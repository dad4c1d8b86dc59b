// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

/// Arguments of random_mask_pixel().
struct RandomMaskPixelArgs {
  /// Not 0: an element of the foreground. Default: `0`.
  Arg<int64_t> foreground = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Elements above it are the foreground. Default: `0.0`.
  Arg<double> threshold = {};
  /// Elements of this value are. Excludes `threshold`.
  Arg<int64_t> value = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The place of a random element of a mask: of any, or, with `foreground`, of one in the foreground. A mask without
/// foreground gives any element's.
/// @param mask  Tensor of any shape and type with at least one element.
/// @return int64: a number for each axis of the mask.
inline Node random_mask_pixel(Graph& graph, Node mask, const RandomMaskPixelArgs& args = {}) {
  return Call("segmentation.random_mask_pixel", {mask}, args.common)
      .arg("foreground", args.foreground)
      .arg("seed", args.seed)
      .arg("threshold", args.threshold)
      .arg("value", args.value)
      .add(graph)
      .front();
}

}  // namespace segmentation

}  // namespace penstock::fn
