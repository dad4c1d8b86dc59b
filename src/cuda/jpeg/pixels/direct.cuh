// Coefficients to pixels, where each wanted component has a sample for each pixel: nothing goes through the GPU's
// memory in between.
#pragma once

#include <cstdint>

#include "codec/jpeg/colour.h"
#include "cuda/jpeg/job.cuh"
#include "cuda/jpeg/pixels/inverse.cuh"
#include "cuda/jpeg/pixels/shown.cuh"
#include "cuda/support/divide.cuh"

namespace penstock::cuda {

using codec::jpeg::ColourSums;

inline constexpr int kDirectThreads = 256;
inline constexpr uint32_t kDirectBlocks = kDirectThreads / kSide;  // at a time, side by side in the wanted part

/// What a thread block has in shared memory.
struct DirectMemory {
  ScanJob job;
  Divider<int32_t> by_columns;
  Factors factors[ScanJob::kMaxPlanes];
  BlockTiles tiles[kDirectBlocks];
  /// Rows of the blocks' pixels. The room behind them keeps rows in different banks, and is read by copy_row().
  alignas(16) uint8_t pixels[kSide][kDirectBlocks * kSide * 3 + 48];
};

/// Eight pixels in a row of three bytes each.
struct PixelRow {
  int values[kSide * 3];

  __device__ PixelRow(const ScanJob& job, const uint2 (&samples)[ScanJob::kMaxPlanes]) {
    const auto value = [&](int c, int k) {
      return static_cast<int>((k < 4 ? samples[c].x : samples[c].y) >> (8 * (k % 4)) & 255);
    };
    const auto fill = [&](auto&& colour) {
      for (int k = 0; k < kSide; ++k) {
        const ColourSums p = colour(k);
        values[3 * k] = job.reverse ? p.b : p.r;
        values[3 * k + 1] = p.g;
        values[3 * k + 2] = job.reverse ? p.r : p.b;
      }
    };
    if (job.planes == 1)
      fill([&](int k) -> ColourSums { return {value(0, k), value(0, k), value(0, k)}; });
    else if (job.convert)
      fill([&](int k) { return codec::jpeg::ycc_sums(value(0, k), value(1, k), value(2, k)); });
    else
      fill([&](int k) -> ColourSums { return {value(0, k), value(1, k), value(2, k)}; });
  }
  __device__ void write(uint8_t* to) const {
    for (int i = 0; i < kSide * 3; i += 8)
      *reinterpret_cast<uint2*>(to + i) = {pack_bytes(values[i], values[i + 1], values[i + 2], values[i + 3]),
                                           pack_bytes(values[i + 4], values[i + 5], values[i + 6], values[i + 7])};
  }
};

/// Copied by a warp, four bytes at a time where they go to whole words. Up to four bytes behind `from`'s are read.
__device__ inline void copy_row(const uint8_t* from, uint8_t* to, int bytes) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const int head = min(static_cast<int>(-reinterpret_cast<uintptr_t>(to) % 4), bytes);
  const int words = (bytes - head) / 4, tail = head + 4 * words;
  if (lane < head) to[lane] = from[lane];
  const auto at = reinterpret_cast<uintptr_t>(from + head);
  const auto* pairs = reinterpret_cast<const uint32_t*>(at / 4 * 4);
  const auto shift = static_cast<uint32_t>(at % 4 * 8);
  for (int i = lane; i < words; i += 32)
    reinterpret_cast<uint32_t*>(to + head)[i] = __funnelshift_r(pairs[i], pairs[i + 1], shift);
  if (tail + lane < bytes) to[tail + lane] = from[tail + lane];
}

/// The pixels of a stored row, by a warp.
__device__ inline void show_row(const uint8_t* from, const Shown& shown, int y, int x, int count, int channels) {
  if (shown.upright()) return copy_row(from, shown.at(y, x), count * channels);
  for (int i = static_cast<int>(threadIdx.x % 32); i < count; i += 32)
    for (int c = 0; c < channels; ++c) shown.at(y, x + i)[c] = from[i * channels + c];
}

/// The rows of the wanted blocks from `first` to `end`, which may lie in several rows of blocks.
__device__ inline void show_blocks(const DirectMemory& memory, const Part& part, const Shown& shown, int first,
                                   int end) {
  const WantedPlane& w = memory.job.wanted[0];
  const int columns = w.columns.end - w.columns.begin, line = static_cast<int>(threadIdx.x / 32);
  for (int begin = first, next = 0; begin < end; begin = next) {
    const int row = memory.by_columns.quotient(begin);
    next = min(end, (row + 1) * columns);
    const int y = (w.rows.begin + row) * kSide + line, x0 = (w.columns.begin + begin - row * columns) * kSide;
    const int x = max(part.x, x0), count = min(part.x + part.width, x0 + (next - begin) * kSide) - x;
    if (y < part.y || y >= part.y + part.height || count <= 0) continue;
    const int channels = memory.job.channels, offset = (begin - first) * kSide + x - x0;
    show_row(memory.pixels[line] + offset * channels, shown, y, x, count, channels);
  }
}

/// A thread's part of the work at the wanted blocks from `first` on: a row of one of them.
__device__ inline void make_pixels(DirectMemory& memory, uint32_t first) {
  const ScanJob& job = memory.job;
  const uint32_t all = job.wanted[0].blocks(), own = threadIdx.x / kSide;
  const auto block = static_cast<int>(min(first + own, all - 1));  // those beyond the end go along
  const int row = memory.by_columns.quotient(block);
  uint2 samples[ScanJob::kMaxPlanes] = {};
#pragma unroll
  for (int c = 0; c < ScanJob::kMaxPlanes; ++c) {
    if (c >= job.planes) break;
    const WantedPlane& w = job.wanted[static_cast<size_t>(c)];
    const int column = block - row * (w.columns.end - w.columns.begin);
    const uint4 values = coefficients_of(job, w, w.blocks_before + static_cast<uint32_t>(block), w.rows.begin + row,
                                         w.columns.begin + column);
    samples[c] = inverse_transform(values, memory.factors[c], memory.tiles[own]);
  }
  __syncthreads();  // until the pixels before have been shown
  uint8_t* to = memory.pixels[threadIdx.x % kSide] + own * kSide * static_cast<uint32_t>(job.channels);
  if (job.channels == 1)
    *reinterpret_cast<uint2*>(to) = samples[0];
  else
    PixelRow(job, samples).write(to);
  __syncthreads();
}

__global__ void __launch_bounds__(kDirectThreads, 4) direct_kernel(const ScanJob* jobs) {
  __shared__ DirectMemory memory;
  ScanJob& job = memory.job;
  load_job<kDirectThreads>(job, jobs);
  if (!job.direct()) return;
  const WantedPlane& w = job.wanted[0];
  for (int c = 0; c < job.planes; ++c)
    if (threadIdx.x < kSide * kSide) memory.factors[c].set(job.wanted[static_cast<size_t>(c)], threadIdx.x);
  if (threadIdx.x == 0) memory.by_columns = Divider<int32_t>(w.columns.end - w.columns.begin);
  __syncthreads();
  const Part part(job);
  const Shown shown(job);
  for (uint32_t first = blockIdx.x * kDirectBlocks; first < w.blocks(); first += gridDim.x * kDirectBlocks) {
    make_pixels(memory, first);
    show_blocks(memory, part, shown, static_cast<int>(first), static_cast<int>(min(first + kDirectBlocks, w.blocks())));
  }
}

}  // namespace penstock::cuda
