// Looking pixels of three bytes up: a warp makes patches of 32 x 4, and stores them as words.
#pragma once

#include <cstdint>

#include <penstock/dtype.h>

#include "cuda/kernels/sampled_pixel.cuh"
#include "cuda/kernels/sampled_tiles.cuh"

namespace penstock::cuda {

/// A warp makes 8 x 4 positions of its patch at a time: they lie near each other in the source, however that is turned,
/// and so in few of its lines (-8 %, H200, against neighbours that one thread makes).
inline constexpr int32_t kPixelsEach = 4, kPatchColumns = kWarpColumns * kPixelsEach, kPatchRows = kWarpRows;
/// A thread block makes tiles of 2 x 8 patches: each warp two, one behind the other.
inline constexpr int32_t kPatchesEach = 2, kTileColumns = kPatchColumns * kPatchesEach;
inline constexpr int32_t kTileRows = kSampledThreads / 32 * kPatchRows;

/// Positions that a thread block makes at a time.
inline int64_t sampled_each(DType in) { return in == DType::kUInt8 ? kTileColumns * kTileRows : kSampledThreads; }

template <class Map>
[[gnu::noinline]] __device__ void make_position(const kernels::SampledJob<Map>& job, int32_t x, int32_t y, int32_t z) {
  kernels::sample_position<uint8_t, uint8_t, false, WordLoads>(job, x, y, z);
}

/// Where a position of the result lies in the source, from whose first element's centre on linear taps count.
template <Sampling kSampling, class Map>
__device__ void find_place(const Map& map, const kernels::SampledPlace& centre, float (&place)[2]) {
  const kernels::SampledPlace found = place_of(map, centre);
  for (int axis = 0; axis < 2; ++axis) place[axis] = found.at[axis] - (kSampling == Sampling::kLinear ? 0.5f : 0.f);
}

/// Stores a warp's patch. Each thread has made pixels 8 apart, and stores four neighbours.
/// @param row  of the thread, where the patch begins: at a word
__device__ inline void store_patch(const uint32_t (&pixel)[kPixelsEach], uint8_t* row) {
  constexpr int32_t kStride = kPatchColumns + 8;  // rows of a patch begin in banks of their own
  __shared__ uint4 turned[kSampledThreads / 32][kPatchRows * kStride / 4];
  const uint32_t column = threadIdx.x % kWarpColumns, line = threadIdx.x % 32 / kWarpColumns;
  uint32_t* const mine = reinterpret_cast<uint32_t*>(turned[threadIdx.x / 32]) + line * kStride;
  __syncwarp();  // the patch before has been read
  for (int32_t j = 0; j < kPixelsEach; ++j) mine[column + kWarpColumns * j] = pixel[j];
  __syncwarp();
  store_pixels(reinterpret_cast<const uint4*>(mine)[column], reinterpret_cast<uint32_t*>(row) + column * 3);
}

/// Makes a warp's patch if that sees what is held, or nothing but the fill value. All its threads call it.
/// @param centre  of the thread's first position  @param row  where the patch's begins  @return false: nothing is made
template <Sampling kSampling, bool kClamps, class Map>
__device__ bool make_patch(const Map& map, const PixelSource& source, kernels::SampledPlace centre, uint8_t* row) {
  float place[kPixelsEach][2];
  bool held = true, made = true;
#pragma unroll
  for (int32_t j = 0; j < kPixelsEach; ++j, centre.at[0] += kWarpColumns) {
    find_place<kSampling>(map, centre, place[j]);
    for (int axis = 0; axis < 2; ++axis) held = held & holds<kClamps>(source, axis, place[j][axis]);
  }
  uint32_t pixel[kPixelsEach];
  if (kClamps || __all_sync(~0u, held)) {
#pragma unroll
    for (int32_t j = 0; j < kPixelsEach; ++j) pixel[j] = pixel_at<kSampling, kClamps>(source, place[j]);
  } else {
#pragma unroll
    for (int32_t j = 0; j < kPixelsEach; ++j) made = made & look_up<kSampling, kClamps>(source, place[j], pixel[j]);
    if (!__all_sync(~0u, made)) return false;
  }
  store_patch(pixel, row);
  return true;
}

/// Makes the thread's positions one by one, of those that the row has.
template <Sampling kSampling, bool kClamps, class Map>
__device__ void make_each(const kernels::SampledJob<Map>& job, const PixelSource& source, int32_t x, int32_t y,
                          int32_t z, uint8_t* row) {
  const kernels::SampledTarget& target = job.target;
#pragma unroll 1
  for (int32_t j = 0; j < kPixelsEach; ++j, x += kWarpColumns) {
    if (x < 0 || x >= target.extent[0]) continue;
    float place[2];
    uint32_t pixel;
    find_place<kSampling>(job.map, kernels::centre_at(target, x, y, z), place);
    if (look_up<kSampling, kClamps>(source, place, pixel))
      for (int k = 0; k < 3; ++k) row[int64_t{x} * 3 + k] = static_cast<uint8_t>(pixel >> (8 * k));
    else
      make_position(job, x, y, z);
  }
}

template <Sampling kSampling, bool kClamps, class Map>
__device__ void make_pixel_tiles(const kernels::SampledJob<Map>& job) {
  PixelSource source(job.source);
  const Map map = job.map;  // in registers: from shared memory it would come again for each patch
  const kernels::SampledTarget& target = job.target;
  const int32_t width = target.extent[0], height = target.extent[1];
  // Tiles begin up to 3 positions before the rows, see below.
  const auto columns = static_cast<uint32_t>((width + 3 + kTileColumns - 1) / kTileColumns);
  const auto lines = static_cast<uint32_t>((height + kTileRows - 1) / kTileRows);
  const auto right = static_cast<int32_t>(threadIdx.x % kWarpColumns);
  const auto down = static_cast<int32_t>(threadIdx.x / kWarpColumns);
  for_tiles(columns, lines * static_cast<uint32_t>(job.frames), [&](uint32_t column, uint32_t line) {
    const uint32_t frame = job.frames == 1 ? 0 : line / lines;
    source.look_at(frame);
    const auto y = static_cast<int32_t>(line - frame * lines) * kTileRows + down, z = static_cast<int32_t>(frame);
    uint8_t* const row = static_cast<uint8_t*>(target.out) + (int64_t{z} * height + y) * width * 3;
    // Position -n of a row that begins n bytes before a word lies at a word: 3 n and n make 4 n.
    const auto before = static_cast<int32_t>(-reinterpret_cast<uintptr_t>(row) & 3);
    int32_t left = static_cast<int32_t>(column) * kTileColumns - before;
#pragma unroll 1
    for (int32_t patch = 0; patch < kPatchesEach; ++patch, left += kPatchColumns) {
      const bool whole = left >= 0 && left + kPatchColumns <= width && y < height;
      if (__all_sync(~0u, whole) &&
          make_patch<kSampling, kClamps>(map, source, kernels::centre_at(target, left + right, y, z),
                                         row + int64_t{left} * 3))
        continue;
      if (y < height) make_each<kSampling, kClamps>(job, source, left + right, y, z, row);
    }
  });
}

template <Sampling kSampling, class Map>
__device__ void make_pixel_tiles(const kernels::SampledJob<Map>& job) {
  if (PixelSource::clamps(job.source))
    make_pixel_tiles<kSampling, true>(job);
  else
    make_pixel_tiles<kSampling, false>(job);
}

/// Makes jobs of pixels of three bytes. @return false for others: nothing is made
template <class Map>
__device__ bool make_pixels(const kernels::SampledJob<Map>& job) {
  if (!are_pixels(job.source, job.target)) return false;
  if (job.source.sampling == Sampling::kLinear)
    make_pixel_tiles<Sampling::kLinear>(job);
  else
    make_pixel_tiles<Sampling::kNearest>(job);
  return true;
}

}  // namespace penstock::cuda
