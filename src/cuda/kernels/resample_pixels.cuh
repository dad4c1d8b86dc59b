// Resizing pictures of three bytes a pixel with two taps along both axes: a thread makes four neighbours of a row, and
// stores them as three words.
#pragma once

#include <cstdint>

#include "cuda/support/pixels.cuh"
#include "cuda/support/threads.cuh"
#include "cuda/support/tiles.cuh"
#include "kernels/resample/job.h"

namespace penstock::cuda {

/// Pixels that a thread makes, and rows of a tile: one for each warp of a thread block.
inline constexpr int32_t kResampledEach = 4, kResampledColumns = 32 * kResampledEach, kResampledRows = 8;

/// A row of the result: weights and source of all of its pixels.
struct ResampledRow {
  const uint32_t* words;  ///< of the source, from the one that holds the plane's first byte on
  uint32_t upper, lower;  ///< bytes from there to the rows that are mixed
  float above, below;     ///< their weights
};

/// The sums of the other kernel, and so its bits.
__device__ inline uint32_t resampled_pixel(const kernels::ResampleAxis& axis, int32_t x, const ResampledRow& row) {
  const uint32_t at = static_cast<uint32_t>(__ldg(axis.first + x)) * 3;
  const float left = __ldg(axis.weights + int64_t{x} * 2), right = __ldg(axis.weights + int64_t{x} * 2 + 1);
  const uint2 upper = load_two_pixels(row.words, row.upper + at), lower = load_two_pixels(row.words, row.lower + at);
  const auto down = [&](uint32_t above, uint32_t below, uint32_t k) {
    return fmaf(row.below, with_ones(below, k) - kOnes, row.above * (with_ones(above, k) - kOnes));
  };
  uint32_t made[3];
#pragma unroll
  for (uint32_t k = 0; k < 3; ++k) {
    const float first = down(upper.x, lower.x, k);
    const float second = k == 0 ? down(upper.x, lower.x, 3) : down(upper.y, lower.y, k - 1);
    made[k] = byte_in_word(fminf(fmaxf(fmaf(right, second, left * first), 0.f), 255.f));
  }
  return pixel_of(made);
}

/// Makes pixels x to x + 3 of a row, of those that it has. @param out  the row, from which on x lies at a word
__device__ inline void resample_four(const kernels::ResampleAxis& axis, const ResampledRow& row, int32_t x,
                                     uint8_t* out) {
  uint32_t pixels[kResampledEach];
#pragma unroll
  for (int32_t j = 0; j < kResampledEach; ++j)
    pixels[j] = resampled_pixel(axis, min(max(x + j, 0), axis.extent - 1), row);
  if (x >= 0 && x + kResampledEach <= axis.extent)
    return store_pixels({pixels[0], pixels[1], pixels[2], pixels[3]},
                        reinterpret_cast<uint32_t*>(out + int64_t{x} * 3));
#pragma unroll
  for (int32_t j = 0; j < kResampledEach; ++j) {
    if (x + j < 0 || x + j >= axis.extent) continue;
    for (int k = 0; k < 3; ++k) out[int64_t{x + j} * 3 + k] = static_cast<uint8_t>(pixels[j] >> (8 * k));
  }
}

/// Makes a job of such pictures. @return false where planes are too large for offsets of 32 bits: nothing is made
__device__ inline bool resample_pixels(const kernels::ResampleJob& job) {
  const int64_t row_bytes = int64_t{job.columns} * 3, plane_bytes = row_bytes * job.rows;
  if (plane_bytes > INT32_MAX) return false;
  const int32_t width = job.x.extent, height = job.y.extent;
  // Tiles begin up to 3 pixels before the rows, see below.
  const auto columns = static_cast<uint32_t>((width + 3 + kResampledColumns - 1) / kResampledColumns);
  const auto lines = static_cast<uint32_t>((height + kResampledRows - 1) / kResampledRows);
  for_tiles(columns, lines * static_cast<uint32_t>(job.outer), [&](uint32_t column, uint32_t line) {
    const uint32_t plane = job.outer == 1 ? 0 : line / lines;
    const auto y = static_cast<int32_t>((line - plane * lines) * kResampledRows + threadIdx.x / 32);
    if (y >= height) return;
    const uintptr_t first = reinterpret_cast<uintptr_t>(job.in) + (int64_t{plane} + job.skipped) * plane_bytes;
    ResampledRow row{};
    row.words = reinterpret_cast<const uint32_t*>(first & ~uintptr_t{3});
    row.upper = static_cast<uint32_t>(first & 3) + static_cast<uint32_t>(__ldg(job.y.first + y) * row_bytes);
    row.lower = row.upper + static_cast<uint32_t>(row_bytes);
    row.above = __ldg(job.y.weights + int64_t{y} * 2), row.below = __ldg(job.y.weights + int64_t{y} * 2 + 1);
    uint8_t* const out = static_cast<uint8_t*>(job.out) + (int64_t{plane} * height + y) * width * 3;
    // Pixel -n of a row that begins n bytes before a word lies at a word: 3 n and n make 4 n.
    const auto before = static_cast<int32_t>(-reinterpret_cast<uintptr_t>(out) & 3);
    const auto x = static_cast<int32_t>(column * kResampledColumns + threadIdx.x % 32 * kResampledEach) - before;
    if (x < width) resample_four(job.x, row, x, out);
  });
  return true;
}

}  // namespace penstock::cuda
