// Elements of one sample taken from elsewhere, as the host describes it and the GPU's kernel reads it.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// Up to this many axes, after neighbours have been joined.
inline constexpr int kGatherAxes = 6;
/// The offset of output elements that take the fill value.
inline constexpr int32_t kOutside = -1;

/// out[i0, i1, ...] = convert((in[sum of offsets] - mean) * inverse), or a fill value where an offset is kOutside.
struct GatherJob {
  const void* in = nullptr;
  void* out = nullptr;
  int ndim = 0;
  int channel_axis = -1;  ///< -1: factors and fill values are the same everywhere
  int32_t extents[kGatherAxes] = {};
  const int32_t* offsets[kGatherAxes] = {};  ///< per axis: distance in elements from the first one, or kOutside
  const float* mean = nullptr;               ///< per channel; null: elements are converted as they are
  const float* inverse = nullptr;
  const float* fills = nullptr;  ///< per channel; null: zero
  bool truncate = false;         ///< drop fractions instead of rounding
};

inline constexpr device::Kernel<GatherJob> kGather{"gather"};

}  // namespace penstock::kernels
