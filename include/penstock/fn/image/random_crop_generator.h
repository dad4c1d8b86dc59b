// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct RandomCropGeneratorArgs {
  Constant<int64_t> num_attempts = {};
  Constant<Floats> random_area = {};
  Constant<Floats> random_aspect_ratio = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Draws a random window of a picture, for `slice` or `decoders.image_slice`. With the same seed `random_resized_crop`
/// and `decoders.image_random_crop` cut the same windows.
inline std::array<Node, 2> random_crop_generator(Graph& graph, Node shape, const RandomCropGeneratorArgs& args = {}) {
  return Call("random_crop_generator", {shape}, args.common)
      .arg("num_attempts", args.num_attempts)
      .arg("random_area", args.random_area)
      .arg("random_aspect_ratio", args.random_aspect_ratio)
      .arg("seed", args.seed)
      .add<2>(graph);
}

}  // namespace penstock::fn
