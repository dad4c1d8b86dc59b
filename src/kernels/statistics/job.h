// Means and deviations of groups of elements, as the host describes them and the GPU's kernels read them.
#pragma once

#include <algorithm>
#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "device/kernel.h"

namespace penstock::kernels {

/// Axes of a tensor that are walked along: extents, and strides in elements.
struct StatisticsAxes {
  int32_t ndim = 0;
  int32_t extents[kMaxDims] = {};
  int32_t strides[kMaxDims] = {};
};

/// What a block finds of its part of a group: the mean, and the sum of squared distances from it.
struct StatisticsPart {
  double mean = 0, squares = 0;
};

/// Mean, and the reciprocal of the standard deviation, of each group of elements; groups differ along the axes that are
/// kept.
struct StatisticsJob {
  const void* in = nullptr;
  DType dtype = DType::kNone;
  StatisticsAxes kept, reduced;
  int64_t groups = 1, size = 1;     ///< elements of a group
  int32_t parts = 1;                ///< of each group, alike in size
  StatisticsPart* found = nullptr;  ///< [group][part]
  float* mean = nullptr;
  float* inverse = nullptr;  ///< times `scale`
  bool mean_given = false, inverse_given = false;
  float scale = 1, epsilon = 0;
  int32_t ddof = 0;

  /// Elements of a part but the last one, which may have fewer.
  constexpr int64_t part_size() const { return (size + parts - 1) / parts; }
  constexpr int64_t elements_of(int32_t part) const {
    return std::max<int64_t>(std::min(part_size(), size - part * part_size()), 0);
  }
};

/// As many elements of a group keep a thread block of 256 threads busy.
inline constexpr int64_t kStatisticsPart = 8192;
constexpr int32_t statistics_parts(int64_t size) {
  return static_cast<int32_t>(std::clamp<int64_t>(size / kStatisticsPart, 1, 256));
}

struct StatisticsParameters {
  int together = 1;  ///< so many neighbouring jobs each share their statistics
};

/// `most_elements` are those of the sample.
inline constexpr device::Kernel<StatisticsJob, StatisticsParameters> kStatistics{"statistics"};

}  // namespace penstock::kernels
