// Colours of a sensor whose elements see one each, in tiles of two by two: blue and red across from each other, green
// beside them. What an element does not see is the mean of the nearest that do.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

struct DebayerJob {
  const void* in = nullptr;
  void* out = nullptr;  ///< red, green and blue interleaved
  int32_t pictures = 1, rows = 0, columns = 0;
  int32_t blue_row = 0, blue_column = 0;  ///< 0 or 1: parities of rows and columns that see blue
};

/// `most_elements` are those of the result. uint8 or uint16.
inline constexpr device::Kernel<DebayerJob> kDebayer{"debayer"};

/// The colours at an element that has neighbours on all sides. Sums are rounded up at their half.
/// @param step  elements to the next row
template <class T>
constexpr void debayer_element(const T* at, int64_t step, bool blue_row, bool blue_column, T* out) {
  const auto mean = [](uint32_t a, uint32_t b) { return static_cast<T>((a + b + 1) >> 1); };
  const T* const up = at - step;
  const T* const down = at + step;
  if (blue_row != blue_column) {  // it sees green
    const T beside = mean(at[-1], at[1]), above = mean(*up, *down);
    out[0] = blue_row ? above : beside;
    out[1] = *at;
    out[2] = blue_row ? beside : above;
    return;
  }
  const auto across = static_cast<T>((uint32_t{up[-1]} + up[1] + down[-1] + down[1] + 2) >> 2);
  out[0] = blue_row ? across : *at;
  out[1] = static_cast<T>((uint32_t{at[-1]} + at[1] + *up + *down + 2) >> 2);
  out[2] = blue_row ? *at : across;
}

/// Elements of the border take the colours of the nearest that has neighbours on all sides.
constexpr int32_t with_neighbours(int32_t i, int32_t extent) { return i < 1 ? 1 : i > extent - 2 ? extent - 2 : i; }

/// The same on the CPU. @throws TypeError for other types
void debayer(const DebayerJob& job, DType dtype);

}  // namespace penstock::kernels
