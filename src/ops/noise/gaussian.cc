#include <cmath>

#include "core/check.h"
#include "ops/noise/noise_operator.h"

namespace penstock {
namespace {

struct GaussianArgs {
  float mean = 0, stddev = 1;
};

class Gaussian final : public NoiseOperator<GaussianArgs> {
  kernels::NoiseTable noise(const Sample& s) const override {
    const auto [mean, stddev] = args(s);
    PENSTOCK_CHECK(stddev >= 0, ArgumentError, "`stddev` must not be negative, got {}", stddev);
    return {.kind = kernels::Noise::kGaussian, .a = mean, .b = stddev};
  }
};

}  // namespace

[[gnu::cold]] void register_noise_gaussian(Registry& r) {
  add_noise<Gaussian>(r, "noise.gaussian", "Adds a normally distributed number to each element.")
      .arg("mean", &GaussianArgs::mean, "Mean of the distribution.", kPerSample)
      .arg("stddev", &GaussianArgs::stddev, "Standard deviation of the distribution.", kPerSample)
      .example({{"stddev", 20.}});
}

}  // namespace penstock
