// Pictures as JPEG leaves them, in two kernels: pixels to the samples that a file's reader would get, and those samples
// to pixels, which takes the chroma of neighbours.
#pragma once

#include <cstdint>

#include "codec/jpeg/colour.h"
#include "codec/jpeg/transform.h"
#include "codec/jpeg/upsample.h"
#include "cuda/support/pack.cuh"
#include "cuda/support/threads.cuh"
#include "kernels/jpeg_distortion/job.h"
#include "kernels/jpeg_distortion/samples.h"

namespace penstock::cuda {

using kernels::JpegDistortionJob;
using kernels::JpegPlanes;
using kernels::JpegStep;
using kernels::kJpegSide;

/// A thread block takes tiles of macro blocks side by side, each of four blocks of luma and two of chroma, and eight
/// threads take a block: a row, a column, a row.
inline constexpr int kTileMacroBlocks = 8, kTileRows = 16, kTileColumns = 16 * kTileMacroBlocks;
inline constexpr int kTileQuads = kTileColumns * kTileRows / 4;  // of two by two pixels
inline constexpr int kLumaBlocks = 4 * kTileMacroBlocks, kTileBlocks = 6 * kTileMacroBlocks;
inline constexpr int kDistortionThreads = kTileBlocks * kJpegSide;
/// Numbers of a block in shared memory. Rows and columns of a warp's blocks both lie in different banks.
inline constexpr int kBlockStride = kJpegSide + 1, kBlockRoom = kJpegSide * kBlockStride;

inline constexpr int kShowThreads = 256;
inline constexpr int kShownColumns = 4;  // of two rows, by one thread

/// The samples of two by two pixels. Those beyond the picture are the last ones: of the rows of chroma, once halved.
__device__ inline void load_quad(const uint8_t* picture, int rows, int columns, int y0, int x0, int quad, int* tile) {
  const int down = quad / (kTileColumns / 2), right = quad % (kTileColumns / 2);
  const int last = (rows - 1) / 2, wanted = y0 / 2 + down, row = min(wanted, last);
  const int ys[2] = {2 * row, min(2 * row + 1, rows - 1)};
  int cb = 0, cr = 0;
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; k < 2; ++k) {
      const int x = min(x0 + 2 * right + k, columns - 1);
      const uint8_t* const pixel = picture + (int64_t{ys[i]} * columns + x) * 3;
      const kernels::Ycc ycc = kernels::ycc_of(__ldg(pixel), __ldg(pixel + 1), __ldg(pixel + 2));
      const int dx = 2 * right + k;
      const auto put = [&](int dy) {
        const int block = dy / kJpegSide * (kTileColumns / kJpegSide) + dx / kJpegSide;
        tile[block * kBlockRoom + dy % kJpegSide * kBlockStride + dx % kJpegSide] = ycc.y - 128;
      };
      if (wanted <= last) put(2 * down + i);
      if (wanted > last && i == 1) put(2 * down), put(2 * down + 1);
      cb += ycc.cb;
      cr += ycc.cr;
    }
  }
  int* const chroma = tile + (kLumaBlocks + right / kJpegSide) * kBlockRoom + down * kBlockStride + right % kJpegSide;
  chroma[0] = kernels::chroma_of(cb, right) - 128;
  chroma[kTileMacroBlocks * kBlockRoom] = kernels::chroma_of(cr, right) - 128;
}

/// What quantisation leaves of a block. @return the samples of the thread's row, by all threads of a warp together
__device__ inline uint2 distort_block(int* block, const JpegStep* steps) {
  constexpr kernels::SampleOps ops;
  const int i = static_cast<int>(threadIdx.x) % kJpegSide;
  int x[kJpegSide];
  for (int k = 0; k < kJpegSide; ++k) x[k] = block[i * kBlockStride + k];
  codec::jpeg::forward_pass<codec::jpeg::kFirstShift>(ops, x);
  for (int k = 0; k < kJpegSide; ++k) block[i * kBlockStride + k] = x[k];
  __syncwarp();
  for (int k = 0; k < kJpegSide; ++k) x[k] = block[k * kBlockStride + i];
  codec::jpeg::forward_pass<codec::jpeg::kForwardShift>(ops, x);
  for (int k = 0; k < kJpegSide; ++k) x[k] = steps[k * kJpegSide + i].nearest(x[k]);
  codec::jpeg::inverse_pass<codec::jpeg::kFirstShift>(ops, x);
  for (int k = 0; k < kJpegSide; ++k) block[k * kBlockStride + i] = x[k];
  __syncwarp();
  for (int k = 0; k < kJpegSide; ++k) x[k] = block[i * kBlockStride + k];
  codec::jpeg::inverse_pass<codec::jpeg::kSecondShift>(ops, x);
  constexpr uint32_t kAdd128 = 0x80808080;  // to numbers that are saturated to bytes with a sign
  return {pack_signed_bytes(x[0], x[1], x[2], x[3]) ^ kAdd128, pack_signed_bytes(x[4], x[5], x[6], x[7]) ^ kAdd128};
}

/// Where the thread's row of a block lies among the planes; null beyond them.
__device__ inline uint8_t* place_of_row(const JpegPlanes& layout, uint8_t* planes, int y0, int x0, int columns) {
  const int block = static_cast<int>(threadIdx.x) / kJpegSide, i = static_cast<int>(threadIdx.x) % kJpegSide;
  if (block < kLumaBlocks) {
    constexpr int kAcross = kTileColumns / kJpegSide;
    const int x = x0 + block % kAcross * kJpegSide;
    return x < columns ? planes + layout.luma(y0 + block / kAcross * kJpegSide + i) + x : nullptr;
  }
  const int x = x0 / 2 + block % kTileMacroBlocks * kJpegSide;
  const int which = (block - kLumaBlocks) / kTileMacroBlocks;
  return x < (columns + 1) / 2 ? planes + layout.chroma(which, y0 / 2 + i) + x : nullptr;
}

__global__ void __launch_bounds__(kDistortionThreads) distort_kernel(const JpegDistortionJob* jobs) {
  __shared__ int tile[kTileBlocks * kBlockRoom];
  __shared__ JpegStep steps[2][kernels::kJpegCoefficients];
  const JpegDistortionJob& job = jobs[blockIdx.y];
  const int rows = job.rows, columns = job.columns;
  const auto tiles_x = static_cast<uint32_t>((columns + kTileColumns - 1) / kTileColumns);
  const auto tiles_y = static_cast<uint32_t>((rows + kTileRows - 1) / kTileRows);
  const uint32_t tiles = static_cast<uint32_t>(job.pictures) * tiles_y * tiles_x;
  if (blockIdx.x >= tiles) return;
  const auto* const in = static_cast<const uint8_t*>(job.in);
  uint8_t* const planes = job.planes;
  const JpegPlanes layout = job.layout();
  const int thread = static_cast<int>(threadIdx.x), block = thread / kJpegSide;
  if (thread < 2 * kernels::kJpegCoefficients)
    steps[thread / kernels::kJpegCoefficients][thread % kernels::kJpegCoefficients] =
        JpegStep::of(job.steps[thread / kernels::kJpegCoefficients][thread % kernels::kJpegCoefficients]);
  for (uint32_t n = blockIdx.x; n < tiles; n += gridDim.x) {
    const uint32_t line = n / tiles_x, picture = line / tiles_y;
    const int y0 = static_cast<int>(line - picture * tiles_y) * kTileRows;
    const int x0 = static_cast<int>(n - line * tiles_x) * kTileColumns;
    const uint8_t* const pixels = in + int64_t{picture} * rows * columns * 3;
    for (int quad = thread; quad < kTileQuads; quad += kDistortionThreads)
      load_quad(pixels, rows, columns, y0, x0, quad, tile);
    __syncthreads();
    const uint2 row = distort_block(tile + block * kBlockRoom, steps[block < kLumaBlocks ? 0 : 1]);
    uint8_t* const to = place_of_row(layout, planes + int64_t{picture} * layout.bytes(), y0, x0, columns);
    if (to) *reinterpret_cast<uint2*>(to) = row;
    __syncthreads();
  }
}

/// Chroma of two rows of four pixels.
__device__ inline void upsample_chroma(const JpegPlanes& layout, const uint8_t* planes, int which, int halved_rows,
                                       int halved_columns, int row, int x, int (&values)[2][kShownColumns]) {
  const uint8_t* const near = planes + layout.chroma(which, row);
  const uint8_t* const far[2] = {planes + layout.chroma(which, max(row - 1, 0)),
                                 planes + layout.chroma(which, min(row + 1, halved_rows - 1))};
  int columns[4];
  for (int i = 0; i < 4; ++i) columns[i] = min(max(x / 2 - 1 + i, 0), halved_columns - 1);
  for (int y = 0; y < 2; ++y) {
    if (halved_columns <= 2) {  // libjpeg's choice for narrow pictures
      for (int i = 0; i < kShownColumns; ++i) values[y][i] = __ldg(near + columns[1 + i / 2]);
      continue;
    }
    int sums[4];
    for (int i = 0; i < 4; ++i) sums[i] = 3 * __ldg(near + columns[i]) + __ldg(far[y] + columns[i]);
    values[y][0] = codec::jpeg::triangle_of_sums(sums[1], sums[0], false);
    values[y][1] = codec::jpeg::triangle_of_sums(sums[1], sums[2], true);
    values[y][2] = codec::jpeg::triangle_of_sums(sums[2], sums[1], false);
    values[y][3] = codec::jpeg::triangle_of_sums(sums[2], sums[3], true);
  }
}

/// Up to four pixels of a row, in words where they lie so.
__device__ inline void write_pixels_of_row(uint8_t* out, int count, const codec::jpeg::Rgb (&pixels)[kShownColumns]) {
  if (count == kShownColumns && reinterpret_cast<uintptr_t>(out) % 4 == 0) {
    uint32_t colours[kShownColumns];
    for (int i = 0; i < kShownColumns; ++i)
      colours[i] = pixels[i].r | uint32_t{pixels[i].g} << 8 | uint32_t{pixels[i].b} << 16;
    auto* const words = reinterpret_cast<uint32_t*>(out);
    words[0] = colours[0] | colours[1] << 24;
    words[1] = colours[1] >> 8 | colours[2] << 16;
    words[2] = colours[2] >> 16 | colours[3] << 8;
    return;
  }
  for (int i = 0; i < kShownColumns; ++i) {
    if (i >= count) return;
    out[3 * i] = pixels[i].r;
    out[3 * i + 1] = pixels[i].g;
    out[3 * i + 2] = pixels[i].b;
  }
}

__global__ void __launch_bounds__(kShowThreads) show_kernel(const JpegDistortionJob* jobs) {
  const JpegDistortionJob& job = jobs[blockIdx.y];
  const int rows = job.rows, columns = job.columns, halved_rows = (rows + 1) / 2, halved_columns = (columns + 1) / 2;
  const auto groups = static_cast<uint32_t>((columns + kShownColumns - 1) / kShownColumns);
  const uint32_t lines = static_cast<uint32_t>(job.pictures) * static_cast<uint32_t>(halved_rows);
  auto* const out = static_cast<uint8_t*>(job.out);
  const uint8_t* const samples = job.planes;
  const JpegPlanes layout = job.layout();
  for (uint64_t n = uint64_t{blockIdx.x} * kShowThreads + threadIdx.x; n < uint64_t{lines} * groups;
       n += uint64_t{gridDim.x} * kShowThreads) {
    const uint32_t line = static_cast<uint32_t>(n) / groups, picture = line / static_cast<uint32_t>(halved_rows);
    const int x = static_cast<int>(static_cast<uint32_t>(n) - line * groups) * kShownColumns;
    const int row = static_cast<int>(line - picture * static_cast<uint32_t>(halved_rows));
    const uint8_t* const planes = samples + int64_t{picture} * layout.bytes();
    int cb[2][kShownColumns], cr[2][kShownColumns];
    upsample_chroma(layout, planes, 0, halved_rows, halved_columns, row, x, cb);
    upsample_chroma(layout, planes, 1, halved_rows, halved_columns, row, x, cr);
    for (int i = 0; i < 2; ++i) {
      const int y = 2 * row + i;
      if (y >= rows) break;
      const uint32_t luma = __ldg(reinterpret_cast<const uint32_t*>(planes + layout.luma(y) + x));
      codec::jpeg::Rgb pixels[kShownColumns];
      for (int k = 0; k < kShownColumns; ++k)
        pixels[k] = codec::jpeg::ycc_to_rgb(static_cast<int>(luma >> (8 * k) & 255), cb[i][k], cr[i][k]);
      uint8_t* const to = out + ((int64_t{picture} * rows + y) * columns + x) * 3;
      write_pixels_of_row(to, min(columns - x, kShownColumns), pixels);
    }
  }
}

}  // namespace penstock::cuda
