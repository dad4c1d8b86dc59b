// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ColorSpaceConversionArgs {
  Constant<ImageType> image_type = {};
  Constant<ImageType> output_type = {};
  CommonArgs common = {};
};
/// Converts between RGB, BGR, GRAY and YCbCr (BT.601, studio range).
inline Node color_space_conversion(Graph& graph, Node images, const ColorSpaceConversionArgs& args = {}) {
  return Call("color_space_conversion", {images}, args.common)
      .arg("image_type", args.image_type)
      .arg("output_type", args.output_type)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
