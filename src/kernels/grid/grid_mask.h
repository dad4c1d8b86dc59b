// Squares of a turned grid in which elements become zero.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// Coordinates of a pixel in the grid, in tiles, are (across[0] x + across[1] y + across[2], likewise down). Where the
/// fractions of both are less than `ratio` the pixel is zero.
struct GridMask {
  float across[3] = {};
  float down[3] = {};
  float ratio = 0;

  static constexpr float fraction(float x) {
    const auto whole = static_cast<float>(static_cast<int32_t>(x));
    return x - (x < whole ? whole - 1 : whole);
  }
  constexpr bool clears(int32_t x, int32_t y) const {
    const auto column = static_cast<float>(x), row = static_cast<float>(y);
    const bool in_column = fraction(across[0] * column + (across[1] * row + across[2])) < ratio;
    const bool in_row = fraction(down[0] * column + (down[1] * row + down[2])) < ratio;
    return in_column & in_row;  // of both, so that vectors can do it
  }
};

/// Pictures that lie one behind the other.
struct GridMaskJob {
  const void* in = nullptr;
  void* out = nullptr;
  GridMask grid;
  int32_t pictures = 1, rows = 0, columns = 0;
  int32_t first_row = 0, first_column = 0;      ///< of the result
  int32_t held_rows = 0, held_columns = 0;      ///< of the input
  int32_t row_in_held = 0, column_in_held = 0;  ///< where the result's first ones lie among those
  int32_t channels = 1;

  /// The input's element of the first column in row y of the result.
  constexpr int64_t row_in(int64_t picture, int64_t y) const {
    return ((picture * held_rows + row_in_held + y) * held_columns + column_in_held) * channels;
  }
};

/// `most_elements` are those of the result; `in` is of any type of 1, 2, 4 or 8 bytes.
inline constexpr device::Kernel<GridMaskJob> kGridMask{"grid_mask"};

/// The same on the CPU. @param size  bytes of an element
void mask_grid(const GridMaskJob& job, int64_t size);

}  // namespace penstock::kernels
