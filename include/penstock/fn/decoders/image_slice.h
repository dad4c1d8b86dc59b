// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

/// Arguments of image_slice().
struct ImageSliceArgs {
  /// Turn the picture as its EXIF data says. Default: `true`.
  Constant<bool> adjust_orientation = {};
  /// Axes that the values belong to, in that order; all for an empty list. Excludes `axis_names`. Default: `{1, 0}`.
  Arg<Ints> axes = {};
  /// Letters of the layout that the values belong to, in that order; "" for all axes. Default: `"WH"`.
  Constant<std::string> axis_names = {};
  /// With `checkpoints`: a file to read places of earlier runs from and to add new ones to. Processes may share it.
  /// Default: `""`.
  Constant<std::string> checkpoint_file = {};
  /// JPEG: MB of memory (about 4 % of the files) for places at which decoding can begin. They are taken down when a
  /// file is decoded first; windows of the same bytes are then decoded without what comes before them, to the same
  /// pixels. With `device="mixed"` workers read all symbols of a file for that, once, and looking places up costs them
  /// more than it saves a fast GPU. 0: none. Default: `0`.
  Constant<int64_t> checkpoints = {};
  /// What decodes JPEG files with `device="mixed"`. `cuda`: the GPU's processors. `hardware`: the JPEG engine that data
  /// center GPUs have beside them; needs nvJPEG. `cpu`: the workers. `auto`: `cuda`, which is the fastest, but for the
  /// share of `hw_decoder_load`; files of 2 KB and less are the workers'. Each leaves what it cannot do to the next,
  /// and all make the same pixels; only the engine does not notice damage inside of a file. Default: `"auto"`.
  Constant<std::string> decoder = {};
  /// Element type. The full range of the file becomes the full range of the type; 0 to 1 for floats. Default:
  /// `DType::kUInt8`.
  Constant<DType> dtype = {};
  /// Where the window ends, per axis. Default: `{}`.
  Arg<Ints> end = {};
  /// What to take of animations (GIF, WebP): the `first` frame as a picture, layout HWC, or `all`, drawn over each
  /// other as the file says, in layout FHWC. Pictures are then animations of one frame. Default: `"first"`.
  Constant<std::string> frames = {};
  /// With `decoder="auto"`: the share of JPEG files that goes to the JPEG engine, where there is one. Which files those
  /// are depends on their contents alone. Default: `0.0`.
  Constant<double> hw_decoder_load = {};
  /// Whether a float input `anchor` is relative to the extents. Default: `true`.
  Constant<bool> normalized_anchor = {};
  /// Whether a float input `shape` is relative to the extents. Default: `true`.
  Constant<bool> normalized_shape = {};
  /// Colours: RGB, BGR, GRAY, YCbCr, or ANY_DATA for the channels that the file has. Default: `ImageType::kRGB`.
  Constant<ImageType> output_type = {};
  /// Where the window ends, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_end = {};
  /// How large the window is, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_shape = {};
  /// Where the window starts, as fractions of the extents. Default: `{}`.
  Arg<Floats> rel_start = {};
  /// Whose pixels where libraries differ: `dali`, or `pillow` for those of `Image.open(file).convert("RGB")`: CMYK and
  /// associated alpha rounded as there, gray of 16 and 32 bits clipped, TIFF alone turned as its orientation says,
  /// whatever `adjust_orientation` says. `pillow` makes RGB of uint8 only. Default: `"dali"`.
  Constant<std::string> rules = {};
  /// How large the window is, per axis. Default: `{}`.
  Arg<Ints> shape = {};
  /// Where the window starts, per axis. Default: `{}`.
  Arg<Ints> start = {};
  /// JPEG on the CPU: a faster, less exact transform. Default: `false`.
  Constant<bool> use_fast_idct = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Decodes the window of an image that `start`, `end` and `shape`, or two more inputs, describe.
/// @param encoded  A whole file: flat uint8 array.
/// @param anchor  Where the window starts; floats are relative, integers absolute. May be left out: `{}`.
/// @param shape_input  How large the window is; same type as the anchor. May be left out: `{}`.
/// @return Pixels, layout HWC; FHWC with `frames="all"`.
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
