// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct ImageSliceArgs {
  Constant<bool> adjust_orientation = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<std::string> checkpoint_file = {};
  Constant<int64_t> checkpoints = {};
  Constant<std::string> decoder = {};
  Constant<DType> dtype = {};
  Arg<Ints> end = {};
  Constant<std::string> frames = {};
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
      .arg("frames", args.frames)
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

}  // namespace penstock::fn
