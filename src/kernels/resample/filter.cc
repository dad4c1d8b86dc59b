#include "kernels/resample/filter.h"

#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "core/check.h"

namespace penstock::kernels {
namespace {

double sinc(double x) { return x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }

double lanczos3(double x) { return std::abs(x) >= 3 ? 0 : sinc(x) * sinc(x / 3); }

/// Standard deviation 1 / (2 sqrt 2) of the radius.
double gaussian(double x) { return std::exp(-4 * x * x); }

/// R. Keys, "Cubic convolution interpolation for digital image processing" (1981), with a = -1/2.
double cubic(double x) {
  x = std::abs(x);
  if (x >= 2) return 0;
  return x < 1 ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

template <size_t kCount>
std::array<float, kCount> sample(double radius, double (*curve)(double)) {
  std::array<float, kCount> samples;
  for (size_t i = 0; i < kCount; ++i)
    samples[i] = static_cast<float>(curve((2.0 * static_cast<double>(i) / (kCount - 1) - 1) * radius));
  return samples;
}

// The numbers of samples are DALI's: 32 for each unit of the cubic's and the Lanczos filter's argument. They are made
// as the library is loaded: a process that is forked while a thread makes them would never have them.
constexpr std::array<float, 3> kTent = {0, 1, 0};
const auto kCubic = sample<129>(2, cubic);
const auto kLanczos3 = sample<193>(3, lanczos3);
const auto kGaussian = sample<65>(1, gaussian);

std::span<const float> samples_of(InterpType filter) {
  switch (filter) {
    case InterpType::kCubic:
      return kCubic;
    case InterpType::kLanczos3:
      return kLanczos3;
    case InterpType::kGaussian:
      return kGaussian;
    default:
      return kTent;
  }
}

}  // namespace

float filter_radius(InterpType filter, bool antialias, float shrink) {
  const float widen = antialias && shrink > 1 ? shrink : 1;
  switch (filter) {
    case InterpType::kNN:
      return 0;
    case InterpType::kLinear:
      return 1;
    case InterpType::kTriangular:
    case InterpType::kGaussian:
      return widen;
    case InterpType::kCubic:
      return 2 * widen;
    case InterpType::kLanczos3:
      return 3 * widen;
  }
  fail<ArgumentError>("there is no resampling filter number {}; use one of types.INTERP_*", static_cast<int>(filter));
}

FilterCurve::FilterCurve(InterpType filter, float radius)
    : samples_(samples_of(filter).data()),
      count_(static_cast<int>(samples_of(filter).size())),
      radius_(radius),
      samples_per_pixel_(static_cast<float>(count_ - 1) / (2 * radius)) {}

}  // namespace penstock::kernels
