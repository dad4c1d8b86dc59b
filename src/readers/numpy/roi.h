// The part of an array that is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <penstock/shape.h>

#include "schema/region.h"

namespace penstock {

/// DALI's arguments of a region of interest.
struct RoiArgs {
  std::optional<std::vector<int64_t>> roi_start, roi_end, roi_shape, roi_axes;
  std::optional<std::vector<float>> rel_roi_start, rel_roi_end, rel_roi_shape;
  /// As this, but for what `sample` has.
  RoiArgs with(const RoiArgs& sample) const;
  bool any() const { return roi_start || roi_end || roi_shape || rel_roi_start || rel_roi_end || rel_roi_shape; }
  /// @throws ArgumentError for two spellings of one end
  void check() const;
};

enum class OutOfBounds { kError, kPad, kTrim };
/// @throws ArgumentError
OutOfBounds out_of_bounds_from(const std::string& text);

/// What is read, and where it comes to lie in the output.
struct RoiWindow {
  Shape output;  ///< shape of the output
  Shape begin;   ///< in the array, of the part that is in it
  Shape extent;  ///< of that part
  Shape at;      ///< where it begins in the output
  bool padded() const { return !(extent == output); }
  /// The window of which just that part of the output is made.
  RoiWindow within(const Region& part) const;
};

/// @throws ArgumentError for a region that cannot be, or that is outside and may not be
RoiWindow roi_window(const RoiArgs& args, const Shape& array, OutOfBounds policy);

}  // namespace penstock
