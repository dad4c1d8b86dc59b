#include <cmath>
#include <limits>
#include <optional>

#include "core/check.h"
#include "kernels/sound/decibels.h"
#include "ops/audio/signal.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ToDecibelsArgs {
  float multiplier = 10, cutoff_db = -200;
  std::optional<float> reference;
};

class ToDecibels final : public SampleOperator<ToDecibelsArgs> {
 public:
  void setup() override {
    const auto& [multiplier, cutoff, reference] = constants();
    PENSTOCK_CHECK(std::isfinite(multiplier) && multiplier != 0, ArgumentError,
                   "`multiplier` must be finite and not zero, got {}", multiplier);
    PENSTOCK_CHECK(std::isfinite(cutoff), ArgumentError, "`cutoff_db` must be finite, got {}", cutoff);
    PENSTOCK_CHECK(!reference || (std::isfinite(*reference) && *reference != 0), ArgumentError,
                   "`reference` argument can't be zero, and must be finite, got {}", reference.value_or(0));
    least_ = static_cast<float>(std::pow(10.0, static_cast<double>(cutoff) / multiplier));
    PENSTOCK_CHECK(std::isfinite(least_), ArgumentError, "`cutoff_db` {} at a `multiplier` of {} is beyond all numbers",
                   cutoff, multiplier);
  }
  void infer(Sample& s) const override {
    check_float(s.in(0).tensor);
    s.out(0).describe(s.in(0).tensor);
  }
  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const int64_t count = in.shape.volume();
    float reference = constants().reference.value_or(1);
    if (!constants().reference) {
      const float most = kernels::largest(in.as<float>(), count);
      if (most > 0) reference = most;  // nothing else than zeros and less: all of it is cut off
    }
    kernels::decibels(in.as<float>(), count, 1 / reference, least_, constants().multiplier,
                      s.out(0).tensor.as<float>());
  }

 private:
  float least_ = 0;
};

}  // namespace

[[gnu::cold]] void register_to_decibels(Registry& r) {
  r.add<ToDecibels>("to_decibels")
      .doc(
          "Magnitudes in decibels: multiplier * log10(max(x / reference, 10 ^ (cutoff_db / multiplier))). NaN and "
          "negative numbers give `cutoff_db`.")
      .input("magnitude", {}, "Float tensor of any shape.")
      .holds("spectrogram")
      .output("decibels", "Float tensor of the same shape and layout.")
      .arg("multiplier", &ToDecibelsArgs::multiplier, "10 for powers, 20 for amplitudes.")
      .arg("reference", &ToDecibelsArgs::reference,
           "The magnitude of 0 dB. Without it that is the largest number of the sample.")
      .arg("cutoff_db", &ToDecibelsArgs::cutoff_db, "The least number of decibels that is given.")
      .host_only("spectrograms are made on the host; the copy to a GPU is the same before and behind it");
}

}  // namespace penstock
