// How pools round sizes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

namespace penstock {

/// Every block of a pool is aligned to this: what JAX (64) and DLPack (256) ask of memory they adopt.
inline constexpr size_t kBlockAlign = 256;

/// To a multiple of `step`.
constexpr size_t rounded_up(size_t bytes, size_t step) { return (bytes + step - 1) / step * step; }

/// Sizes are rounded up to one of four steps per power of two, so that batches of nearly equal size share blocks and at
/// most a quarter is wasted.
inline size_t block_size(size_t bytes) {
  if (bytes <= 4096) return std::bit_ceil(std::max(bytes, kBlockAlign));
  const size_t step = std::bit_floor(bytes - 1) / 4;
  return rounded_up(bytes, step);
}

}  // namespace penstock
