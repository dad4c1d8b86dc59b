// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of random_crop_generator().
struct RandomCropGeneratorArgs {
  /// Draws before the nearest window that fits is taken. Default: `10`.
  Constant<int64_t> num_attempts = {};
  /// Least and greatest share of the image's area. Default: `{0.08, 1.0}`.
  Constant<Floats> random_area = {};
  /// Least and greatest width / height. Default: `{0.75, 1.3333334}`.
  Constant<Floats> random_aspect_ratio = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Draws a random window of a picture, for `slice` or `decoders.image_slice`. With the same seed `random_resized_crop`
/// and `decoders.image_random_crop` cut the same windows.
/// @param shape  Height and width, or height, width and channels: a list of int32, int64, uint32 or uint64.
/// @return in this order:
/// - `anchor`: First row and column, int32.
/// - `shape`: Height and width, int32.
inline std::array<Node, 2> random_crop_generator(Graph& graph, Node shape, const RandomCropGeneratorArgs& args = {}) {
  return Call("random_crop_generator", {shape}, args.common)
      .arg("num_attempts", args.num_attempts)
      .arg("random_area", args.random_area)
      .arg("random_aspect_ratio", args.random_aspect_ratio)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
