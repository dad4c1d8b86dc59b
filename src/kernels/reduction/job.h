// What elements of a sample come to, along some of its axes: sums, means, extremes, deviations.
#pragma once

#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "device/kernel.h"

namespace penstock::kernels {

enum class Reduction : int32_t {
  kSum,
  kMin,
  kMax,
  kMean,
  kMeanSquare,
  kRootMeanSquare,
  kVariance,   ///< mean square of distances from `mean`; by size - ddof
  kDeviation,  ///< its root
};

/// Axes of a tensor that are walked along: extents, and strides in elements. Outermost first.
struct ReductionAxes {
  int32_t ndim = 0;
  int32_t extents[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};
};

/// out[kept] = of all elements along `reduced`. Sums of integers are exact up to 64 bits; all others are summed in
/// double precision. Sums and extremes of nothing are 0, the rest NaN.
struct ReductionJob {
  const void* in = nullptr;
  void* out = nullptr;         ///< dense
  const float* mean = nullptr;  ///< of kVariance and kDeviation: one a result, or one for all
  bool one_mean = false;
  Reduction reduction = Reduction::kSum;
  int32_t ddof = 0;
  ReductionAxes kept, reduced;
  int64_t results = 1, size = 1;  ///< elements of a result
  // A few large results are each shared among thread blocks, the last of which puts together what all have found.
  int32_t parts = 1;
  double* partial = nullptr;  ///< [result][part], of 8 bytes; in the GPU's memory
  uint32_t* ended = nullptr;  ///< by result: parts that are done; zeros before the launch
};

struct ReductionParameters {
  int64_t most_parts = 1;  ///< results times parts of a job, at most
};

/// `most_elements` are results. `in` is any type but complex ones; `out` what reduced_type() allows.
inline constexpr device::Kernel<ReductionJob, ReductionParameters> kReduction{"reduction"};

}  // namespace penstock::kernels
