// Looking pixels of three bytes up: a thread makes four neighbours of a row, and stores them as three words.
#pragma once

#include <cstdint>

#include "cuda/kernels/sampled_pixel.cuh"
#include "cuda/kernels/sampled_tiles.cuh"

namespace penstock::cuda {

/// Positions of a row that a thread makes, of which 8 x 4 threads of a warp lie in a tile, and 2 x 4 warps.
inline constexpr int32_t kPixelsEach = 4;
inline constexpr uint32_t kPixelTileGroups = 16, kPixelTileRows = 16;
template <class Map>
[[gnu::noinline]] __device__ void make_position(const kernels::SampledJob<Map>& job, int32_t x, int32_t y, int32_t z) {
  kernels::sample_position<uint8_t, uint8_t, false, WordLoads>(job, x, y, z);
}

/// Makes positions x to x + 3 of a row, of those that it has. @param out  the row, from which on x lies at a word
template <Sampling kSampling, class Map>
__device__ void make_pixels(const kernels::SampledJob<Map>& job, const PixelSource& source, int32_t x, int32_t y,
                            int32_t z, uint8_t* out) {
  const kernels::SampledTarget& target = job.target;
  kernels::SampledPlace centre{{0, kernels::centre_of(target, 1, y), kernels::centre_of(target, 2, z)}};
  uint32_t pixel[kPixelsEach] = {}, made = 0;
#pragma unroll
  for (int j = 0; j < kPixelsEach; ++j) {
    if (x + j < 0 || x + j >= target.extent[0]) continue;
    centre.at[0] = kernels::centre_of(target, 0, x + j);
    if (look_up<kSampling>(source, place_of(job.map, centre), pixel[j])) made |= 1u << j;
  }
  if (made == (1u << kPixelsEach) - 1) {
    auto* const words = reinterpret_cast<uint32_t*>(out + int64_t{x} * 3);
    words[0] = __byte_perm(pixel[0], pixel[1], 0x4210);
    words[1] = __byte_perm(pixel[1], pixel[2], 0x5421);
    words[2] = __byte_perm(pixel[2], pixel[3], 0x6542);
    return;
  }
#pragma unroll
  for (int j = 0; j < kPixelsEach; ++j) {
    if (x + j < 0 || x + j >= target.extent[0]) continue;
    uint8_t* const to = out + int64_t{x + j} * 3;
    if (made >> j & 1)
      for (int k = 0; k < 3; ++k) to[k] = static_cast<uint8_t>(pixel[j] >> (8 * k));
    else
      make_position(job, x + j, y, z);
  }
}

template <Sampling kSampling, class Map>
__device__ void make_pixel_tiles(const kernels::SampledJob<Map>& job) {
  const int32_t width = job.target.extent[0], height = job.target.extent[1];
  constexpr uint32_t kTilePixels = kPixelTileGroups * kPixelsEach;
  const uint32_t columns = (static_cast<uint32_t>(width) + kPixelsEach - 1 + kTilePixels - 1) / kTilePixels;
  const uint32_t rows = (static_cast<uint32_t>(height) + kPixelTileRows - 1) / kPixelTileRows;
  const uint32_t tiles = rows * columns, all = tiles * static_cast<uint32_t>(job.frames);
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t group = warp % 2 * 8 + lane % 8, down = warp / 2 * 4 + lane / 8;
  for (uint32_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
    const uint32_t frame = job.frames == 1 ? 0 : tile / tiles, of_frame = tile - frame * tiles;
    const uint32_t line = of_frame / columns, column = of_frame - line * columns;
    const auto y = static_cast<int32_t>(line * kPixelTileRows + down), z = static_cast<int32_t>(frame);
    if (y >= height) continue;
    uint8_t* const out = static_cast<uint8_t*>(job.target.out) + (int64_t{z} * height + y) * width * 3;
    // Pixel -n of a row that begins n bytes before a word lies at a word: 3 n and n make 4 n.
    const auto before = static_cast<int32_t>(-reinterpret_cast<uintptr_t>(out) & 3);
    const auto x = static_cast<int32_t>((column * kPixelTileGroups + group) * kPixelsEach) - before;
    if (x < width) make_pixels<kSampling>(job, PixelSource(job.source, z), x, y, z, out);
  }
}

/// Makes jobs of pixels of three bytes. @return false for others: nothing is made
template <class Map>
__device__ bool make_pixels(const kernels::SampledJob<Map>& job) {
  if (!are_pixels(job.source)) return false;
  if (job.source.sampling == Sampling::kLinear)
    make_pixel_tiles<Sampling::kLinear>(job);
  else
    make_pixel_tiles<Sampling::kNearest>(job);
  return true;
}

}  // namespace penstock::cuda
