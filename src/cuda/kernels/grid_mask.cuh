// Zeros in the squares of a grid: each thread makes 16 bytes of a row.
#pragma once

#include <cstdint>

#include "cuda/support/divide.cuh"
#include "cuda/support/run.cuh"
#include "kernels/grid/grid_mask.h"

namespace penstock::cuda {

using kernels::GridMaskJob;

inline constexpr int kGridThreads = 256;

/// Which elements of a run are cleared, a bit each. @param pixel that the run begins in, @param before elements of it
/// that lie before the run
template <int kRun>
__device__ uint32_t cleared_of(const GridMaskJob& job, int32_t pixel, int32_t before, int32_t y) {
  uint32_t cleared = 0;
  int32_t begin = 0;
  for (int32_t end = job.channels - before; begin < kRun; begin = end, end += job.channels, ++pixel) {
    const uint32_t upto = end < kRun ? (1u << end) - 1 : (1u << kRun) - 1;
    if (job.grid.clears(pixel + job.first_column, y)) cleared |= upto & ~((1u << begin) - 1);
  }
  return cleared;
}

/// All bits of the elements of a word whose bits are set. @tparam kSize  bytes of an element
template <int kSize>
__device__ uint32_t spread(uint32_t bits) {
  if constexpr (kSize == 1) return (bits * 0x00204081u & 0x01010101u) * 0xffu;
  if constexpr (kSize == 2) return (bits * 0x00008001u & 0x00010001u) * 0xffffu;
  return bits ? 0xffffffffu : 0;
}

/// Bits are those of the run's elements, from the first one.
template <int kSize>
__device__ uint4 without(uint4 run, uint32_t cleared) {
  if constexpr (kSize == 8) {
    const uint32_t first = spread<4>(cleared & 1), second = spread<4>(cleared & 2);
    return {run.x & ~first, run.y & ~first, run.z & ~second, run.w & ~second};
  } else {
    constexpr int kOfWord = 4 / kSize;
    constexpr uint32_t kAll = (1u << kOfWord) - 1;
    return {run.x & ~spread<kSize>(cleared & kAll), run.y & ~spread<kSize>(cleared >> kOfWord & kAll),
            run.z & ~spread<kSize>(cleared >> 2 * kOfWord & kAll), run.w & ~spread<kSize>(cleared >> 3 * kOfWord)};
  }
}

template <class T, class Index>
__global__ void __launch_bounds__(kGridThreads) grid_mask_kernel(const GridMaskJob* jobs) {
  constexpr int kRun = kRunBytes / sizeof(T);
  __shared__ GridMaskJob job;
  __shared__ Divider<Index> by_line, by_rows;
  __shared__ Divider<int32_t> by_channels;
  if (threadIdx.x < sizeof(job) / sizeof(int32_t))
    reinterpret_cast<int32_t*>(&job)[threadIdx.x] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[threadIdx.x];
  __syncthreads();
  const int32_t line = job.columns * job.channels;
  if (threadIdx.x == 0) by_line = Divider<Index>(max(line, 1));
  if (threadIdx.x == 32) by_rows = Divider<Index>(max(job.rows, 1));
  if (threadIdx.x == 64) by_channels = Divider<int32_t>(max(job.channels, 1));
  __syncthreads();
  const T* const in = static_cast<const T*>(job.in);
  T* const out = static_cast<T*>(job.out);
  const Index all = static_cast<Index>(job.pictures) * job.rows * line;
  const Index step = static_cast<Index>(gridDim.x) * kGridThreads * kRun;
  Index at = (static_cast<Index>(blockIdx.x) * kGridThreads + static_cast<Index>(threadIdx.x)) * kRun;
  for (at -= elements_before(out); at < all; at += step) {
    // One row, mostly: a run goes on in the next one, or begins before the first.
    Index row = by_line.quotient(max(at, Index{0}));
    for (Index begin = max(at, Index{0}); begin < min(at + kRun, all); ++row) {
      const Index end = min(min(at + kRun, all), (row + 1) * line);
      const Index picture = job.pictures > 1 ? by_rows.quotient(row) : 0;
      const auto y = static_cast<int32_t>(row - picture * job.rows), first = static_cast<int32_t>(begin - row * line);
      const int32_t pixel = by_channels.quotient(first);
      const uint32_t cleared = cleared_of<kRun>(job, pixel, first - pixel * job.channels, y + job.first_row);
      const T* from = in + job.row_in(picture, y) + first;
      if (end - begin == kRun)
        *reinterpret_cast<uint4*>(out + begin) =
            cleared == (1u << kRun) - 1 ? uint4{0, 0, 0, 0} : without<sizeof(T)>(load_run(from), cleared);
      else
        for (int i = 0; i < static_cast<int>(end - begin); ++i) out[begin + i] = cleared >> i & 1 ? T{} : from[i];
      begin = end;
    }
  }
}
static_assert(sizeof(GridMaskJob) % sizeof(int32_t) == 0 && sizeof(GridMaskJob) / sizeof(int32_t) <= kGridThreads);

}  // namespace penstock::cuda
