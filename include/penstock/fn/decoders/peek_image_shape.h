// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of peek_image_shape().
struct PeekImageShapeArgs {
  /// Take the EXIF orientation into account. Default: `true`.
  Constant<bool> adjust_orientation = {};
  /// Type of the numbers: int32, uint32, int64, uint64, float or double. Default: `DType::kInt64`.
  Constant<DType> dtype = {};
  /// `first` or `all`, as for `decoders.image`. Default: `"first"`.
  Constant<std::string> frames = {};
  /// Colours that the image would be decoded to. Default: `ImageType::kRGB`.
  Constant<ImageType> image_type = {};
  /// Whose rules turn the picture: `dali`, or `pillow`, which turns TIFF alone, whatever `adjust_orientation` says.
  /// Default: `"dali"`.
  Constant<std::string> rules = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The shape that an encoded image will have once decoded, from its header alone.
/// @param encoded  A whole file: flat uint8 array.
/// @return Height, width, channels; before them the number of frames with `frames="all"`.
inline Node peek_image_shape(Graph& graph, Node encoded, const PeekImageShapeArgs& args = {}) {
  return Call("peek_image_shape", {encoded}, args.common)
      .arg("adjust_orientation", args.adjust_orientation)
      .arg("dtype", args.dtype)
      .arg("frames", args.frames)
      .arg("image_type", args.image_type)
      .arg("rules", args.rules)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
