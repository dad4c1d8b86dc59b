// How large a resize makes an image, and which part of the image that is made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/small_list.h"
#include "schema/schema.h"

namespace penstock {

struct ResizeSizeArgs {
  float resize_x = 0, resize_y = 0, resize_z = 0, resize_shorter = 0, resize_longer = 0;
  std::vector<float> size;  ///< one value for each spatial axis in the layout's order, or one for all
  std::string mode = "default";
  std::vector<float> max_size;  ///< like `size`; empty: no limit
  bool subpixel_scale = true;
  std::vector<float> roi_start, roi_end;  ///< both or neither, in the layout's order
  bool roi_relative = false;
  std::string size_rounding = "round";   ///< or "truncate", "ceil"
  std::vector<float> alignment = {.5f};  ///< which point of the region stays where it is when a size is rounded
};

/// One for each axis that is resized.
template <class T>
using OfAxes = SmallList<T, kMaxDims>;

/// One spatial axis: `start` to `end` of the source (flipped when end < start) becomes `out` pixels.
struct AxisSize {
  int64_t out = 0;
  float start = 0, end = 0;
  friend bool operator==(const AxisSize&, const AxisSize&) = default;
};

/// For setup: exactly one way of giving the size, and no contradictions.
/// @throws ArgumentError
void check_resize_size(const OpSpec& spec, const ResizeSizeArgs& args);

/// What of this does not depend on how the size is given.
void check_resize_limits(const OpSpec& spec, const ResizeSizeArgs& args);

/// Sizes of the spatial axes, whose extents (2 or 3) come in the layout's order.
/// @throws ArgumentError for lists of the wrong length, unknown modes and values that are not finite.
OfAxes<AxisSize> resize_size(const ResizeSizeArgs& args, std::span<const int64_t> extents);

/// The same for `scales`, factors of the extents, instead of sizes.
OfAxes<AxisSize> scaled_size(const ResizeSizeArgs& args, const std::vector<float>& scales,
                             std::span<const int64_t> extents);

/// Describes those arguments that do not say how large the result is.
template <class B>
B& add_resize_policy_args(B& builder) {
  return builder
      .arg("mode", &ResizeSizeArgs::mode,
           "What the requested extents mean: \"default\" (exact; axes that are not given scale alike), \"stretch\" "
           "(exact; axes that are not given stay), \"not_larger\" or \"not_smaller\" (an upper or lower limit; the "
           "aspect ratio is kept).")
      .arg("max_size", &ResizeSizeArgs::max_size, "Limit of the result's extents, for each axis or for all.")
      .arg(
          "subpixel_scale", &ResizeSizeArgs::subpixel_scale,
          "Keeps the scale exact where the size had to be rounded, by adjusting the region that is read by less than a "
          "pixel.")
      .arg("roi_start", &ResizeSizeArgs::roi_start, "Where the region of interest begins, in the layout's order.",
           kPerSample)
      .arg("roi_end", &ResizeSizeArgs::roi_end, "Where it ends; before its start: the result is flipped.", kPerSample)
      .arg("roi_relative", &ResizeSizeArgs::roi_relative, "The region of interest is given in parts of the extents.");
}

/// Describes the arguments of ResizeSizeArgs, from which the operator's own arguments derive.
template <class B>
B& add_resize_size_args(B& builder) {
  return add_resize_policy_args(builder)
      .arg("resize_x", &ResizeSizeArgs::resize_x, "Width of the result; 0: follows from the others. Negative flips.",
           kPerSample)
      .arg("resize_y", &ResizeSizeArgs::resize_y, "Height of the result.", kPerSample)
      .arg("resize_z", &ResizeSizeArgs::resize_z, "Depth of the result.", kPerSample)
      .arg("size", &ResizeSizeArgs::size,
           "Extents of the result in the layout's order, (height, width) or (depth, height, width), or one value for "
           "all axes; 0: follows from the others.",
           kPerSample)
      .arg("resize_shorter", &ResizeSizeArgs::resize_shorter,
           "Length of the result's shorter side; the aspect ratio is kept.", kPerSample)
      .arg("resize_longer", &ResizeSizeArgs::resize_longer,
           "Length of the result's longer side; the aspect ratio is kept.", kPerSample);
}

}  // namespace penstock
