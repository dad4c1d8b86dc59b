// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct ImageArgs {
  Constant<bool> adjust_orientation = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
  Constant<std::string> frames = {};
  Constant<double> hw_decoder_load = {};
  Constant<ImageType> output_type = {};
  Constant<std::string> rules = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP, GIF, JPEG 2000, and AVIF and HEIF where libheif is installed. The
/// format is told by the contents.
///
/// A crop or slice that follows is pushed into the decoder, which then decodes only what is kept.
inline Node image(Graph& graph, Node encoded, const ImageArgs& args = {}) {
  return Call("decoders.image", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("checkpoint_file", args.checkpoint_file)
      .arg("checkpoints", args.checkpoints)
      .arg("decoder", args.decoder)
      .arg("dtype", args.dtype)
      .arg("frames", args.frames)
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("output_type", args.output_type)
      .arg("rules", args.rules)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

}  // namespace decoders

}  // namespace penstock::fn
