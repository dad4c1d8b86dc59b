#include <cmath>

#include "core/check.h"
#include "ops/noise/noise_operator.h"

namespace penstock {
namespace {

struct ShotArgs {
  float factor = 20;
};

class Shot final : public NoiseOperator<ShotArgs> {
  kernels::NoiseTable noise(const Sample& s) const override {
    const float factor = args(s).factor;
    PENSTOCK_CHECK(factor >= 0 && std::isfinite(factor), ArgumentError, "`factor` must not be negative, got {}",
                   factor);
    return {.kind = kernels::Noise::kShot, .a = factor};
  }
};

}  // namespace

[[gnu::cold]] void register_noise_shot(Registry& r) {
  add_noise<Shot>(r, "noise.shot",
                  "Replaces each element by a Poisson number of mean element / factor, times the factor: the noise of "
                  "counted events, such as photons on a sensor. Negative elements become 0.")
      .arg("factor", &ShotArgs::factor, "What one event adds; 0 leaves elements as they are.", kPerSample);
}

}  // namespace penstock
