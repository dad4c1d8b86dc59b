// A linear filter's taps as a formula, from which a kernel makes the tables where it reads them: the tables of a
// 224 x 224 picture take 5 KB, the formula 24 bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace penstock::kernels {

/// Two taps for each of `size` output pixels: what Axis has, bit by bit.
struct LinearAxis {
  int32_t in = 2;                         ///< source extent in pixels
  int32_t size = 0;                       ///< output pixels
  int32_t held = 0;                       ///< source pixel that pixels are counted from
  float begin = 0, step = 1, origin = 0;  ///< as in AxisGeometry; origin: of the first tap of output pixel 0

  /// Bytes that its tables take.
  constexpr size_t bytes() const { return static_cast<size_t>(size) * (sizeof(int32_t) + 2 * sizeof(float)); }

  /// The first source pixel of output pixel i, and the weights of both. Taps beyond the border go to its pixel.
  constexpr int32_t tap(int32_t i, float* weights) const {
    constexpr float kFar = 0x1p30f;
    const float low = std::clamp((begin + static_cast<float>(i)) * step + origin, -kFar, kFar);
    const auto whole = static_cast<float>(static_cast<int32_t>(low));
    const float lowest = whole + static_cast<float>(low > whole), distance = lowest - low - 1;
    const float left = tent(distance), right = tent(distance + 1), unit = 1 / (left + right);
    const auto from = static_cast<int32_t>(lowest), first = std::clamp(from, 0, in - 2);
    weights[0] = ((pixel(from) == first ? left : 0.0f) + (pixel(from + 1) == first ? right : 0.0f)) * unit;
    weights[1] = ((pixel(from) != first ? left : 0.0f) + (pixel(from + 1) != first ? right : 0.0f)) * unit;
    return first - held;
  }

 private:
  constexpr int32_t pixel(int32_t at) const { return std::clamp(at, 0, in - 1); }
  static constexpr float tent(float distance) {
    const float at = distance + 1;
    return std::max(0.0f, std::min(at, 1 - (at - 1)));
  }
};

}  // namespace penstock::kernels
