// A sum of separable convolutions of one sample, as the host describes it and the GPU's kernel reads it.
#pragma once

#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

inline constexpr int kMostConvolutions = 3;

/// One axis: ranges of pixels as in ConvolveAxis, and a window for each convolution.
struct ConvolveJobAxis {
  int32_t extent = 1;
  int32_t held_begin = 0, held = 1;
  int32_t wanted_begin = 0, wanted = 1;
  int32_t taps[kMostConvolutions] = {1, 1, 1};
  const float* weights[kMostConvolutions] = {};
};

struct ConvolveJob {
  const void* in = nullptr;
  void* out = nullptr;
  float* planes = nullptr;  ///< convolved along z: [outer][z wanted][y held][x held][channel]
  float* lines = nullptr;   ///< along z and y: [outer][z wanted][y wanted][x held][channel]
  float* sum = nullptr;     ///< of the convolutions so far, as the result lies
  ConvolveJobAxis z, y, x;
  int32_t channels = 1;
  int32_t outer = 1;  ///< images in the sample
};

struct ConvolveParameters {
  int convolutions = 1;   ///< that are summed
  bool volume = false;    ///< windows lie along z, too
  int64_t most_held = 0;  ///< elements of a source
};

/// `most_elements` are those of the result.
inline constexpr device::Kernel<ConvolveJob, ConvolveParameters> kConvolve{"convolve"};

}  // namespace penstock::kernels
