// Work on neighbourhoods of one sample's elements, as the host describes it and the GPU's kernels read it.
#pragma once

#include <cstdint>

#include "device/kernel.h"
#include "kernels/neighbourhood/window.h"

namespace penstock::kernels {

/// What all of these jobs have: pictures or volumes that lie one behind the other, channels interleaved.
struct NeighbourhoodJob {
  const void* in = nullptr;
  void* out = nullptr;
  WindowAxes axes;
  int32_t channels = 1;
  int32_t outer = 1;
  Border border = Border::kConstant;

  /// Elements of the result.
  constexpr int64_t results() const {
    return int64_t{outer} * axes[0].wanted * axes[1].wanted * axes[2].wanted * channels;
  }
};

/// Correlation. Picture i takes filter i / pictures_per_filter.
struct FilterJob : NeighbourhoodJob {
  const float* weights = nullptr;  ///< [filter][z][y][x]
  const void* fill = nullptr;      ///< one value of the input's type; null: zero
  int32_t pictures_per_filter = 1;
};

/// The greatest element under the window, or the least one; a constant border never is the result.
struct ExtremeJob : NeighbourhoodJob {
  int32_t greatest = 1;
};

/// The middle one of an odd number of elements under the window.
struct MedianJob : NeighbourhoodJob {};

/// `most_elements` are those of the result. `out` is the input's type or float.
inline constexpr device::Kernel<FilterJob> kFilter{"filter"};

/// `most_elements` are those of the result; uint8, int16, uint16, int32 or float.
inline constexpr device::Kernel<ExtremeJob> kExtreme{"extreme"};
inline constexpr device::Kernel<MedianJob> kMedian{"median"};

}  // namespace penstock::kernels
