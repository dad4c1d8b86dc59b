// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

/// Arguments of median_blur().
struct MedianBlurArgs {
  /// Odd width and height, or one value for both. Default: `{3, 3}`.
  Arg<Ints> window_size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Replaces each element by the median of the rectangle around it, each channel by itself. Beyond the border the
/// outermost elements are repeated, as in OpenCV.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HW, HWC, FHWC, CHW, FCHW.
/// @return Shape, layout and type of the input.
inline Node median_blur(Graph& graph, Node input, const MedianBlurArgs& args = {}) {
  return Call("experimental.median_blur", {input}, args.common).arg("window_size", args.window_size).add(graph).front();
}

}  // namespace experimental

}  // namespace penstock::fn
