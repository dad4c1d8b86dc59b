// What CPU and GPU do alike in a convolution: which element a tap falls on, and the sum of one.
#pragma once

#include <cstdint>

#include "kernels/separable/job.h"

namespace penstock::kernels {

/// The index on an axis of `size` elements that lies in the place of `i`; -1: none, a zero.
constexpr int32_t bordered(Border border, int64_t i, int32_t size) {
  if (i >= 0 && i < size) return static_cast<int32_t>(i);
  switch (border) {
    case Border::kReflect101: {
      if (size == 1) return 0;
      const int64_t period = 2 * (int64_t{size} - 1);
      const int64_t at = ((i % period) + period) % period;
      return static_cast<int32_t>(at < size ? at : period - at);
    }
    case Border::kReflect1001: {
      const int64_t period = 2 * int64_t{size};
      const int64_t at = ((i % period) + period) % period;
      return static_cast<int32_t>(at < size ? at : period - 1 - at);
    }
    case Border::kClamp:
      return i < 0 ? 0 : size - 1;
    case Border::kWrap:
      return static_cast<int32_t>(((i % size) + size) % size);
    default:
      return -1;
  }
}

/// Where the source has index `first + i` of the result's line, moved by `tap`; -1: nowhere.
constexpr int32_t source_index(const SeparablePass& pass, Border border, int32_t i, int32_t tap) {
  const int32_t at = bordered(border, int64_t{pass.first} + i + tap - pass.anchor, pass.size);
  return at < 0 ? at : at - pass.held;
}

constexpr float weight_of(const SeparablePass& pass, int32_t tap) { return pass.weights ? pass.weights[tap] : 1; }

/// One element of a pass: taps in their order, each product rounded before it is added. `element(index)` gives the
/// source's as a float.
template <class Element>
constexpr float convolved(const SeparablePass& pass, Border border, int32_t i, Element&& element) {
  float sum = 0;
  for (int32_t tap = 0; tap < pass.taps; ++tap) {
    const int32_t at = source_index(pass, border, i, tap);
    if (at >= 0) sum += weight_of(pass, tap) * element(at);
  }
  return sum;
}

/// Memory between passes that pass `p` writes, and that the pass behind it reads.
constexpr int between_of(int32_t p) { return p % 2; }

}  // namespace penstock::kernels
