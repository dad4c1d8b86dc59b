// The two inner loops of looking elements up that run with the processor's vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/sampled/job.h"

namespace penstock::kernels {

/// Positions of one row of the result that are looked up together. Axes are x and y.
struct SampledBlock {
  static constexpr size_t kMost = 128;  ///< a multiple of every vector's lanes
  float place[2][kMost];                ///< where the positions lie in the source
  int32_t low[2][kMost];                ///< the first of the two elements around each place
  float weight[2][kMost];               ///< how far the place lies from that one's centre to the next one's
};

/// Indices from `least` to `most`.
struct SampledSpan {
  int32_t least = 0, most = 0;
};

/// Sets low and weight along an axis for the first `count` places, and for those that fill the last vector.
/// @return the span of low
SampledSpan find_taps(Sampling sampling, int axis, size_t count, SampledBlock& block);

/// A picture of three interleaved bytes a pixel, and the indices that are read of it, at least two columns.
struct SampledBytes {
  const uint8_t* first = nullptr;  ///< the pixel at columns.least and rows.least
  int32_t stride = 0;              ///< bytes from a row to the next
  SampledSpan columns, rows;       ///< indices beyond take the nearest within
};

/// Mixes positions [begin, end) of a block linearly. The bits are those of sample_position().
/// @param out position `begin`
void mix_bytes3(const SampledBytes& source, const SampledBlock& block, size_t begin, size_t end, uint8_t* out);

}  // namespace penstock::kernels
