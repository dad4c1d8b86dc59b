// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct ImageRandomCropArgs {
  Constant<bool> adjust_orientation = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
  Constant<std::string> frames = {};
  Constant<double> hw_decoder_load = {};
  Constant<int64_t> num_attempts = {};
  Constant<ImageType> output_type = {};
  Constant<Floats> random_area = {};
  Constant<Floats> random_aspect_ratio = {};
  Constant<std::string> rules = {};
  Constant<int64_t> seed = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`.
inline Node image_random_crop(Graph& graph, Node encoded, const ImageRandomCropArgs& args = {}) {
  return Call("decoders.image_random_crop", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("checkpoint_file", args.checkpoint_file)
      .arg("checkpoints", args.checkpoints)
      .arg("decoder", args.decoder)
      .arg("dtype", args.dtype)
      .arg("frames", args.frames)
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("num_attempts", args.num_attempts)
      .arg("output_type", args.output_type)
      .arg("random_area", args.random_area)
      .arg("random_aspect_ratio", args.random_aspect_ratio)
      .arg("rules", args.rules)
      .arg("seed", args.seed)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

}  // namespace decoders

}  // namespace penstock::fn
