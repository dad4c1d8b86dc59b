// Convolution of one sample with one-dimensional weights along each of up to three axes, as the host describes it and
// CPU and GPU read it. A pass an axis: it takes as many products an element as its window has taps.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/kernel.h"

namespace penstock::kernels {

/// What lies beyond the ends of an axis.
enum class Border : int32_t {
  kReflect101,   ///< dcb|abcd|cba
  kReflect1001,  ///< cba|abcd|dcb, the outermost element twice
  kClamp,        ///< aaa|abcd|ddd
  kWrap,         ///< bcd|abcd|abc
  kZero,         ///< 000|abcd|000
};

/// One pass: out[o, i, n] = sum over k of weights[k] * in[o, first + i + k - anchor, n], in the order of k. Indices of
/// the axis count from its begin; the source has those from `held` on.
struct SeparablePass {
  const float* weights = nullptr;  ///< null: all are 1
  int32_t taps = 1;
  int32_t anchor = 0;     ///< tap that falls on the element itself
  int32_t size = 1;       ///< of the whole axis
  int32_t held = 0;       ///< first index that the source holds
  int32_t in_extent = 1;  ///< indices that it holds
  int32_t first = 0;      ///< first index of the result
  int32_t out_extent = 1;
  int32_t inner = 1;  ///< elements between neighbours of the axis
  int64_t outer = 1;  ///< how often all that is repeated

  constexpr int64_t elements() const { return outer * out_extent * inner; }
};

inline constexpr int kSeparableAxes = 3;

/// Passes in their order: along the innermost axis first. What lies between two of them is float.
struct SeparableJob {
  const void* in = nullptr;
  void* out = nullptr;
  float* between[2] = {};  ///< results of the first passes, by turns: see separable_between()
  Border border = Border::kReflect101;
  int32_t passes = 0;
  SeparablePass pass[kSeparableAxes];
};

struct SeparableParameters {
  int32_t passes = 1;          ///< of all jobs of the launch
  int64_t most_elements[kSeparableAxes] = {};  ///< of a pass's results, by pass
};

/// `in` is uint8, int16, uint16, int32 or float; `out` the same or float.
inline constexpr device::Kernel<SeparableJob, SeparableParameters> kSeparable{"separable"};

}  // namespace penstock::kernels
