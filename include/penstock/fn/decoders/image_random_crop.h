// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

/// Arguments of image_random_crop().
struct ImageRandomCropArgs {
  /// Turn the picture as its EXIF data says. Default: `true`.
  Constant<bool> adjust_orientation = {};
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
  /// What to take of animations (GIF, WebP): the `first` frame as a picture, layout HWC, or `all`, drawn over each
  /// other as the file says, in layout FHWC. Pictures are then animations of one frame. Default: `"first"`.
  Constant<std::string> frames = {};
  /// With `decoder="auto"`: the share of JPEG files that goes to the JPEG engine, where there is one. Which files those
  /// are depends on their contents alone. Default: `0.0`.
  Constant<double> hw_decoder_load = {};
  /// Draws before the nearest window that fits is taken. Default: `10`.
  Constant<int64_t> num_attempts = {};
  /// Colours: RGB, BGR, GRAY, YCbCr, or ANY_DATA for the channels that the file has. Default: `ImageType::kRGB`.
  Constant<ImageType> output_type = {};
  /// Least and greatest share of the image's area. Default: `{0.08, 1.0}`.
  Constant<Floats> random_area = {};
  /// Least and greatest width / height. Default: `{0.75, 1.3333334}`.
  Constant<Floats> random_aspect_ratio = {};
  /// Whose pixels where libraries differ: `dali`, or `pillow` for those of `Image.open(file).convert("RGB")`: CMYK and
  /// associated alpha rounded as there, gray of 16 and 32 bits clipped, TIFF alone turned as its orientation says,
  /// whatever `adjust_orientation` says. `pillow` makes RGB of uint8 only. Default: `"dali"`.
  Constant<std::string> rules = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// JPEG on the CPU: a faster, less exact transform. Default: `false`.
  Constant<bool> use_fast_idct = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Decodes a window of random size, shape and place; the same seed gives the windows of `random_resized_crop`.
/// @param encoded  A whole file: flat uint8 array.
/// @return Pixels, layout HWC; FHWC with `frames="all"`.
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
