// Means and deviations of groups of elements, as the host describes them and the GPU's kernel reads them.
#pragma once

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

/// Mean, and the reciprocal of the standard deviation, of each group of elements; groups differ along the axes that are
/// kept.
struct StatisticsJob {
  const void* in = nullptr;
  DType dtype = DType::kNone;
  StatisticsAxes kept, reduced;
  int64_t groups = 1, size = 1;  ///< elements of a group
  float* mean = nullptr;
  float* inverse = nullptr;  ///< times `scale`
  bool mean_given = false, inverse_given = false;
  float scale = 1, epsilon = 0;
  int32_t ddof = 0;
};

struct StatisticsParameters {
  int together = 1;  ///< so many neighbouring jobs each share their statistics
};

/// `most_elements` are those of the sample.
inline constexpr device::Kernel<StatisticsJob, StatisticsParameters> kStatistics{"statistics"};

}  // namespace penstock::kernels
