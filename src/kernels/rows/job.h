// Rows of numbers multiplied by a matrix, as the host describes it and the GPU's kernel reads it.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// out[row][i] = offset[i] + sum of matrix[i][k] * in[row][k], summed up in that order, the offset last.
struct RowsJob {
  const void* in = nullptr;
  void* out = nullptr;
  const float* matrix = nullptr;  ///< [outputs][inputs]
  const float* offset = nullptr;  ///< [outputs]
  int64_t rows = 0;
  int32_t inputs = 0, outputs = 0;  ///< numbers of a row
  int32_t* refused = nullptr;       ///< a GPU sets it to 1 where a number of `in` is not finite; null: all are mapped
};

inline constexpr device::Kernel<RowsJob> kRows{"rows"};

}  // namespace penstock::kernels
