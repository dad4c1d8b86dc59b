/// Ends of windows that are given as parts of an extent.
#pragma once

#include <algorithm>
#include <cstdint>

namespace penstock {

/// A part of an extent in elements. The product is rounded to float, as DALI does: 0.9 of 15 is 13.5, though 0.9 is a
/// little less as a float.
inline double part_of(double part, int64_t extent) {
  return static_cast<double>(static_cast<float>(part) * static_cast<float>(extent));
}

/// The end of a window of `size` parts that begins at `start` parts, `begin` elements. Parts are added up first, so
/// that the end is rounded once; one that only roundings put before the window's begin counts as that.
inline double end_of_parts(double start, double size, int64_t extent, double begin) {
  return std::max((start + size) * static_cast<double>(extent), begin);
}

}  // namespace penstock
