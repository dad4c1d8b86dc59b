// Tensors at the beginning of larger ones, as the host describes them and the GPU's kernel reads them.
#pragma once

#include <cstddef>
#include <cstdint>

#include <penstock/shape.h>

#include "device/kernel.h"

namespace penstock::kernels {

/// Both lie densely. Axes whose extents are the same in both are joined with the one before.
struct PadJob {
  const void* in = nullptr;
  void* out = nullptr;
  int32_t ndim = 1;
  int64_t held[kMaxDims] = {};          ///< extents of the input
  int64_t extents[kMaxDims] = {};       ///< extents of the result: at least as large
  alignas(16) std::byte fill[16] = {};  ///< the bytes of elements that the input has not

  constexpr int64_t elements() const {
    int64_t all = 1;
    for (int axis = 0; axis < ndim; ++axis) all *= extents[axis];
    return all;
  }
};

struct PadParameters {
  int32_t element_bytes = 1;  ///< 1, 2, 4 or 8
};

/// `most_elements` are those of a result.
inline constexpr device::Kernel<PadJob, PadParameters> kPad{"pad"};

}  // namespace penstock::kernels
