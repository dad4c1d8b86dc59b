// What operators on sound have in common: their inputs are tensors of floats, most of them signals of one channel.
#pragma once

#include <penstock/tensor.h>

#include "core/check.h"

namespace penstock {

/// @throws TypeError for other types
inline void check_float(const TensorDesc& input) {
  PENSTOCK_CHECK(input.dtype == DType::kFloat, TypeError, "the input must be float, got {}; fn.cast makes floats of it",
                 name_of(input.dtype));
}

/// Samples of a signal of one channel: (samples), (samples, 1), (1, samples), ... @throws ArgumentError for other
/// shapes
inline int64_t signal_length(const TensorDesc& input) {
  const int64_t volume = input.shape.volume();
  for (const int64_t extent : input.shape)
    PENSTOCK_CHECK(extent == 1 || extent == volume, ArgumentError,
                   "the input must be one channel, with one axis longer than 1 at most, got {}",
                   to_string(input.shape));
  return volume;
}

/// The extents before and behind an axis, multiplied.
struct AroundAxis {
  int64_t outer = 1, inner = 1;
};
inline AroundAxis around_axis(const Shape& shape, int axis) {
  AroundAxis around;
  for (int d = 0; d < shape.ndim(); ++d)
    if (d != axis) (d < axis ? around.outer : around.inner) *= shape[d];
  return around;
}

}  // namespace penstock
