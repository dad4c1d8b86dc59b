// Looking elements up, for a ragged batch: a thread a position, thread blocks take tiles of a job's result, whose
// elements lie near each other in the source as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/support/pixels.cuh"
#include "cuda/support/threads.cuh"
#include "cuda/support/tiles.cuh"
#include "kernels/sampled/body.h"

namespace penstock::cuda {

inline constexpr int kSampledColumns = 32, kSampledRows = 8;
inline constexpr int kSampledThreads = kSampledColumns * kSampledRows;
/// That a multiprocessor has room for: so many hide what bytes take to come.
template <class In>
inline constexpr int kSampledBlocks = std::is_same_v<In, uint8_t> ? 4 : 1;

/// The positions of a warp lie in a square rather than in a row, which would cross as many lines of the source as it
/// has positions when that is turned.
inline constexpr uint32_t kWarpColumns = 8, kWarpRows = 4, kWarpsAcross = kSampledColumns / kWarpColumns;
__device__ inline uint2 place_in_tile() {
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {warp % kWarpsAcross * kWarpColumns + lane % kWarpColumns,
          warp / kWarpsAcross * kWarpRows + lane / kWarpColumns};
}

struct WordLoads {
  /// Two pixels of three bytes.
  static __device__ void load(const uint8_t* from, float (&values)[6]) {
    const auto at = reinterpret_cast<uintptr_t>(from);
    const uint2 both = load_two_pixels(reinterpret_cast<const uint32_t*>(at & ~uintptr_t{3}), at & 3);
    for (int i = 0; i < 4; ++i) values[i] = static_cast<float>(both.x >> (8 * i) & 0xff);
    for (int i = 0; i < 2; ++i) values[4 + i] = static_cast<float>(both.y >> (8 * i) & 0xff);
  }
  template <size_t kCount, class In>
  static __device__ void load(const In* from, float (&values)[kCount]) {
    kernels::PlainLoads::load(from, values);
  }
};

template <class In, class Out, bool kVolume, class Map>
__device__ void sample_tiles(const kernels::SampledJob<Map>& job) {
  const int32_t width = job.target.extent[0], height = job.target.extent[1], planes = job.planes();
  const uint32_t columns = static_cast<uint32_t>(width + kSampledColumns - 1) / kSampledColumns;
  const uint32_t rows = static_cast<uint32_t>(height + kSampledRows - 1) / kSampledRows;
  const uint2 place = place_in_tile();
  // A tile holds 256 positions, and planes are counted in 32 bits: so are lines of tiles.
  for_tiles(columns, rows * static_cast<uint32_t>(planes), [&](uint32_t column, uint32_t line) {
    const uint32_t z = line / rows;
    const uint32_t x = column * kSampledColumns + place.x;
    const uint32_t y = (line - z * rows) * kSampledRows + place.y;
    if (static_cast<int32_t>(x) < width && static_cast<int32_t>(y) < height)
      kernels::sample_position<In, Out, kVolume, WordLoads>(job, static_cast<int32_t>(x), static_cast<int32_t>(y),
                                                            static_cast<int32_t>(z));
  });
}

}  // namespace penstock::cuda
