#include "kernels/sampled/sampled.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace penstock::kernels {

template void run_sampled(const SampledJob<AffineMap>&, DType, DType);

SampledBox sampled_need(const AffineMap& map, const SampledTarget& target, const int64_t (&size)[kSampledAxes],
                        bool clamp) {
  SampledBox box;
  if (target.positions() <= 0) return box;
  for (size_t axis = 0; axis < kSampledAxes; ++axis) {
    // An affine map takes its extremes at corners: each axis of the result adds the one or the other.
    const float(&row)[kSampledAxes + 1] = map.matrix[axis];
    double low = row[kSampledAxes], high = low, largest = std::abs(low);
    for (size_t k = 0; k < kSampledAxes; ++k) {
      const double one = row[k] * (target.first[k] + 0.5), other = row[k] * (target.first[k] + target.extent[k] - 0.5);
      low += std::min(one, other);
      high += std::max(one, other);
      largest += std::max(std::abs(one), std::abs(other));
    }
    // Neighbours on both sides, and what single precision rounds.
    const double margin = 1 + largest * 0x1p-20, last = static_cast<double>(size[axis]);
    const bool valid = std::isfinite(low) && std::isfinite(high);
    double begin = valid ? std::floor(low - margin) : 0, end = valid ? std::floor(high + margin) + 1 : last;
    if (!clamp && (end <= 0 || begin >= last)) return {};
    begin = std::clamp(begin, 0.0, last - 1);
    end = std::clamp(end, begin + 1, last);
    box.begin[axis] = static_cast<int64_t>(begin);
    box.end[axis] = static_cast<int64_t>(end);
  }
  return box;
}

}  // namespace penstock::kernels
