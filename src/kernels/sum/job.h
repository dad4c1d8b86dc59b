// The sum of tensors of one shape that lie on one GPU.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// As many parts as one launch sums.
inline constexpr int kSumParts = 64;

/// out = parts[0] + parts[1] + ..., in that order, divided by their number for a mean.
struct SumParts {
  const void* parts[kSumParts] = {};
  int count = 0;
  bool mean = false;
  void* out = nullptr;
  int64_t elements = 0;
};

/// Needs no jobs; `out` is the type of all elements.
inline constexpr device::Kernel<device::Nothing, SumParts> kSum{"sum"};

}  // namespace penstock::kernels
