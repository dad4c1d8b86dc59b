#include "kernels/resample/axis.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "kernels/resample/filter.h"

namespace penstock::kernels {
namespace {

constexpr float kMaxTaps = 0x1p20f;

/// Beyond 2^30 everything is far outside of the image and clamps to its border.
float limited(float x) { return std::clamp(x, -0x1p30f, 0x1p30f); }

float radius_of(const AxisGeometry& g) { return filter_radius(g.filter, g.antialias, std::abs(g.step())); }

/// Output pixels fall on source pixels: an interpolating filter has one tap that matters.
bool on_grid(const AxisGeometry& g) {
  return g.filter != InterpType::kGaussian && std::abs(g.end - g.start) == static_cast<float>(g.out) &&
         g.start == std::floor(g.start);
}

/// Taps before folding.
int64_t reach(const AxisGeometry& g) {
  if (g.filter == InterpType::kNN || on_grid(g)) return 1;
  const float reach = std::ceil(2 * radius_of(g));
  PENSTOCK_CHECK(reach <= kMaxTaps, ArgumentError,
                 "a resampling filter of {} source pixels is too wide; the region of interest is {} pixels long and "
                 "becomes {}",
                 reach, std::abs(g.end - g.start), g.out);
  return static_cast<int64_t>(reach);
}

// Positions are computed in float and in this order because DALI does so: ties of nearest neighbours depend on it.
void pick(const AxisGeometry& g, Axis& axis) {
  const float step = g.step();
  for (int64_t i = 0; i < axis.size(); ++i) {
    const auto at =
        static_cast<int64_t>(floor_fast(limited(g.start + (static_cast<float>(g.begin + i) + 0.5f) * step)));
    axis.first[static_cast<size_t>(i)] = static_cast<int32_t>(std::clamp<int64_t>(at, 0, g.in - 1));
  }
  std::fill(axis.weights.begin(), axis.weights.end(), 1.0f);
}

void weigh(const AxisGeometry& g, int64_t reach, Axis& axis) {
  const float step = g.step(), radius = radius_of(g), origin = g.start + (0.5f * step - 0.5f - radius);
  const FilterCurve curve(g.filter, radius);
  for (int64_t i = 0; i < axis.size(); ++i) {
    const float low = limited(static_cast<float>(g.begin + i) * step + origin);
    const float lowest = ceil_fast(low);
    const auto from = static_cast<int64_t>(lowest);
    const int64_t first = std::clamp<int64_t>(from, 0, g.in - axis.taps);
    float* weights = axis.weights.data() + i * axis.taps;
    float sum = 0, distance = lowest - low - radius;
    for (int64_t k = 0; k < reach; ++k, distance += 1) {
      const float weight = curve(distance);
      weights[std::clamp<int64_t>(from + k, 0, g.in - 1) - first] += weight;
      sum += weight;
    }
    const float unit = 1 / sum;
    for (int k = 0; k < axis.taps; ++k) weights[k] *= unit;
    axis.first[static_cast<size_t>(i)] = static_cast<int32_t>(first);
  }
}

}  // namespace

int64_t AxisGeometry::taps() const { return std::min(reach(*this), in); }

bool Axis::copies() const {
  if (taps != 1) return false;
  for (int64_t i = 0; i < size(); ++i)
    if (first[static_cast<size_t>(i)] != begin + i) return false;
  return true;
}

void Axis::assign(const AxisGeometry& g) {
  taps = static_cast<int>(g.taps());
  const auto n = static_cast<size_t>(std::max<int64_t>(0, g.stop - g.begin));
  first.assign(n, 0);
  weights.assign(n * static_cast<size_t>(taps), 0.0f);
  const int64_t untrimmed = reach(g);
  if (untrimmed == 1)
    pick(g, *this);
  else
    weigh(g, untrimmed, *this);
  begin = n ? *std::min_element(first.begin(), first.end()) : 0;
  end = n ? *std::max_element(first.begin(), first.end()) + taps : 0;
}

}  // namespace penstock::kernels
