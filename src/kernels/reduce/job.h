// The reduction of one sample along some of its axes, as the host describes it and the GPU's kernel reads it.
#pragma once

#include <cstdint>

#include <penstock/dtype.h>
#include <penstock/shape.h>

#include "device/kernel.h"

namespace penstock::kernels {

enum class Reduction : int32_t { kSum, kMean, kMeanSquare, kRootMeanSquare, kVariance, kDeviation, kMin, kMax };

/// Axes of a tensor that are walked along: extents, and strides in elements.
struct WalkedAxes {
  int32_t ndim = 0;
  int64_t extents[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};
};

struct ReduceJob {
  const void* in = nullptr;
  void* out = nullptr;
  const void* centres = nullptr;  ///< kVariance and kDeviation: the mean of each group
  uint64_t* partial = nullptr;    ///< [group][part]: what blocks have found, in the accumulator's form
  DType in_type = DType::kNone, out_type = DType::kNone, centre_type = DType::kNone;
  Reduction kind = Reduction::kSum;
  WalkedAxes kept, reduced;
  int64_t groups = 1, size = 1;  ///< elements of a group
  int32_t parts = 1;             ///< blocks that share a group
  int64_t ddof = 0;
};

/// `most_elements` are groups times parts.
inline constexpr device::Kernel<ReduceJob> kReduce{"reduce"};

}  // namespace penstock::kernels
