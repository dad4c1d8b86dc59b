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
  Constant<double> hw_decoder_load = {};
  Constant<ImageType> output_type = {};
  Constant<std::string> rules = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes images: JPEG, PNG, TIFF, BMP, PNM, WebP. The format is told by the contents.
///
/// A crop or slice that follows is pushed into the decoder, which then decodes only what is kept.
inline Node image(Graph& graph, Node encoded, const ImageArgs& args = {}) {
  return Call("decoders.image", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("checkpoint_file", args.checkpoint_file)
      .arg("checkpoints", args.checkpoints)
      .arg("decoder", args.decoder)
      .arg("dtype", args.dtype)
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("output_type", args.output_type)
      .arg("rules", args.rules)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

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
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("output_type", args.output_type)
      .arg("rounding", args.rounding)
      .arg("rules", args.rules)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

struct ImageRandomCropArgs {
  Constant<bool> adjust_orientation = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
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

struct ImageSliceArgs {
  Constant<bool> adjust_orientation = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
  Arg<Ints> end = {};
  Constant<double> hw_decoder_load = {};
  Constant<bool> normalized_anchor = {};
  Constant<bool> normalized_shape = {};
  Constant<ImageType> output_type = {};
  Arg<Floats> rel_end = {};
  Arg<Floats> rel_shape = {};
  Arg<Floats> rel_start = {};
  Constant<std::string> rules = {};
  Arg<Ints> shape = {};
  Arg<Ints> start = {};
  Constant<bool> use_fast_idct = {};
  CommonArgs common = {};
};
/// Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe.
inline Node image_slice(Graph& graph, Node encoded, std::optional<Node> anchor, std::optional<Node> shape_input,
                        const ImageSliceArgs& args = {}) {
  return Call("decoders.image_slice", {encoded}, args.common)
      .input(anchor)
      .input(shape_input)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("checkpoint_file", args.checkpoint_file)
      .arg("checkpoints", args.checkpoints)
      .arg("decoder", args.decoder)
      .arg("dtype", args.dtype)
      .arg("end", args.end)
      .arg("hw_decoder_load", args.hw_decoder_load)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("output_type", args.output_type)
      .arg("rel_end", args.rel_end)
      .arg("rel_shape", args.rel_shape)
      .arg("rel_start", args.rel_start)
      .arg("rules", args.rules)
      .arg("shape", args.shape)
      .arg("start", args.start)
      .arg("use_fast_idct", args.use_fast_idct)
      .add(graph)
      .front();
}

}  // namespace decoders

struct PeekImageShapeArgs {
  Constant<bool> adjust_orientation = {};
  Constant<DType> dtype = {};
  Constant<ImageType> image_type = {};
  Constant<std::string> rules = {};
  CommonArgs common = {};
};
/// The shape that an encoded image will have once decoded, from its header alone.
inline Node peek_image_shape(Graph& graph, Node encoded, const PeekImageShapeArgs& args = {}) {
  return Call("peek_image_shape", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("image_type", args.image_type)
      .arg("rules", args.rules)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
