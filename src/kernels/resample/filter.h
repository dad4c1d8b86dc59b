// The filter curves of resampling.
#pragma once

#include <algorithm>
#include <cstdint>

#include <penstock/types.h>

namespace penstock::kernels {

/// Distance in source pixels from the centre of an output pixel at which the filter ends.
/// `shrink` is source pixels per output pixel, by absolute value; `antialias` widens filters that shrink.
/// @throws ArgumentError for an unknown filter.
float filter_radius(InterpType filter, bool antialias, float shrink);

/// std::floor and std::ceil without the call that they are on processors before SSE4.1. For |x| < 2^31.
inline float floor_fast(float x) {
  const auto whole = static_cast<float>(static_cast<int32_t>(x));
  return whole - static_cast<float>(x < whole);
}
inline float ceil_fast(float x) { return -floor_fast(-x); }

/// The curve of linear and triangular filters, without looking up its three samples: FilterCurve's bits and use.
class Tent {
 public:
  Tent(InterpType, float radius) : radius_(radius), samples_per_pixel_(1 / radius) {}
  float operator()(float distance) const {
    const float at = (distance + radius_) * samples_per_pixel_;
    return std::max(0.0f, std::min(at, 1 - (at - 1)));
  }

 private:
  float radius_, samples_per_pixel_;
};

/// A curve stretched to a radius. Curves are piecewise linear between samples, as DALI's are: with the same samples,
/// float results agree to the last digits, and no transcendental function is evaluated per weight.
class FilterCurve {
 public:
  FilterCurve(InterpType filter, float radius);
  /// Weight (not normalised) at `distance` source pixels from the centre.
  float operator()(float distance) const {
    const float at = (distance + radius_) * samples_per_pixel_;
    if (!(at > -1) || at >= static_cast<float>(count_)) return 0;
    const float below = floor_fast(at);
    const int i = static_cast<int>(below);
    const float a = i < 0 ? 0 : samples_[i], b = i + 1 < count_ ? samples_[i + 1] : 0;
    return a + (b - a) * (at - below);
  }

 private:
  const float* samples_;
  int count_;
  float radius_, samples_per_pixel_;
};

}  // namespace penstock::kernels
