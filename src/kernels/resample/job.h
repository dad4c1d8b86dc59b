// The resampling of one sample, as the host describes it and the GPU's kernel reads it. Tables are those of the CPU's
// kernels: both read the same source elements with the same weights.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

struct ResampleAxis {
  int taps = 1;
  int32_t extent = 1;              ///< of the result
  const int32_t* first = nullptr;  ///< per result: its first source pixel, counted in what `in` holds
  const float* weights = nullptr;  ///< [result][tap]
};

/// out[o, z, y, x, c] = sum of weights times pixels.
struct ResampleJob {
  const void* in = nullptr;
  void* out = nullptr;
  ResampleAxis z, y, x;
  int32_t channels = 1;
  int32_t outer = 1;      ///< planes before the spatial axes
  int32_t rows = 0;       ///< of the source, per plane in z
  int32_t columns = 0;    ///< of the source
  int32_t in_planes = 1;  ///< extent of the source along z
  int32_t skipped = 0;    ///< of the planes before the spatial axes that `in` holds, those before the first one read
};

inline constexpr device::Kernel<ResampleJob> kResample{"resample"};

}  // namespace penstock::kernels
