// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of color_space_conversion().
struct ColorSpaceConversionArgs {
  /// Colours of the input. Required.
  Constant<ImageType> image_type = {};
  /// Colours of the output. Required.
  Constant<ImageType> output_type = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range).
/// @param images  uint8 images, volumes or sequences. Layouts: FDHWC, FHWC, DHWC, HWC.
/// @return Layout as the input.
inline Node color_space_conversion(Graph& graph, Node images, const ColorSpaceConversionArgs& args = {}) {
  return Call("color_space_conversion", {images}, args.common)
      .arg("image_type", args.image_type)
      .arg("output_type", args.output_type)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
