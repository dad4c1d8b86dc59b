// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct ImageCropArgs {
  Constant<bool> adjust_orientation = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Arg<Floats> crop = {};
  Arg<double> crop_d = {};
  Arg<double> crop_h = {};
  Arg<double> crop_pos_x = {};
  Arg<double> crop_pos_y = {};
  Arg<double> crop_pos_z = {};
  Arg<double> crop_w = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
  Constant<std::string> frames = {};
  Constant<double> hw_decoder_load = {};
  Constant<ImageType> output_type = {};
  Constant<std::string> rounding = {};
  Constant<std::string> rules = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes a window of fixed size of an image, without decoding what lies around it.
inline Node image_crop(Graph& graph, Node encoded, const ImageCropArgs& args = {}) {
  return Call("decoders.image_crop", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("checkpoint_file", args.checkpoint_file)
      .arg("checkpoints", args.checkpoints)
      .arg("crop", args.crop)
      .arg("crop_d", args.crop_d)
      .arg("crop_h", args.crop_h)
      .arg("crop_pos_x", args.crop_pos_x)
      .arg("crop_pos_y", args.crop_pos_y)
      .arg("crop_pos_z", args.crop_pos_z)
      .arg("crop_w", args.crop_w)
      .arg("decoder", args.decoder)
      .arg("dtype", args.dtype)
      .arg("frames", args.frames)
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("output_type", args.output_type)
      .arg("rounding", args.rounding)
      .arg("rules", args.rules)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

}  // namespace decoders

}  // namespace penstock::fn
