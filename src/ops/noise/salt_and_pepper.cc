#include <cmath>
#include <optional>

#include "core/check.h"
#include "ops/noise/noise_operator.h"

namespace penstock {
namespace {

struct SaltAndPepperArgs {
  float prob = .05f, salt_vs_pepper = .5f;
  std::optional<float> salt_val, pepper_val;
  bool per_channel = false;
};

/// The lowest or highest value that integers of a type have, -1 or 1 for floats.
double extreme(DType dtype, bool highest) {
  double value = 0;
  dispatch_all(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      value = static_cast<double>(highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
    else
      value = highest ? 1 : -1;
  });
  return value;
}

/// How many of the 2^32 words a probability takes.
uint64_t words_below(double probability) { return static_cast<uint64_t>(std::llround(probability * 0x1p32)); }

class SaltAndPepper final : public NoiseOperator<SaltAndPepperArgs> {
  kernels::NoiseTable noise(const Sample& s) const override {
    const SaltAndPepperArgs& a = args(s);
    const DType dtype = s.in(0).tensor.dtype;
    for (const auto& [name, value] : {std::pair{"prob", a.prob}, std::pair{"salt_vs_pepper", a.salt_vs_pepper}})
      PENSTOCK_CHECK(value >= 0 && value <= 1, ArgumentError, "`{}` must lie in [0, 1], got {}", name, value);
    return {.kind = kernels::Noise::kSaltAndPepper,
            .salt = a.salt_val ? *a.salt_val : extreme(dtype, true),
            .pepper = a.pepper_val ? *a.pepper_val : extreme(dtype, false),
            .salt_below = words_below(double{a.prob} * a.salt_vs_pepper),
            .noisy_below = words_below(a.prob)};
  }
  /// The layout's channels; without a layout the last axis is taken for them.
  int shared_axis(const Sample& s) const override {
    if (args(s).per_channel) return -1;
    const TensorDesc& in = s.in(0).tensor;
    return in.layout.empty() ? in.shape.ndim() - 1 : in.layout.find('C');
  }
};

}  // namespace

[[gnu::cold]] void register_noise_salt_and_pepper(Registry& r) {
  add_noise<SaltAndPepper>(r, "noise.salt_and_pepper", "Replaces some pixels by one of two values.")
      .arg("prob", &SaltAndPepperArgs::prob, "Probability that a pixel is replaced.", kPerSample)
      .arg("salt_vs_pepper", &SaltAndPepperArgs::salt_vs_pepper, "Probability that it is replaced by salt.", kPerSample)
      .arg("salt_val", &SaltAndPepperArgs::salt_val,
           "Value of salt; the highest of an integer type, 1 for floats, when not given.", kPerSample)
      .arg("pepper_val", &SaltAndPepperArgs::pepper_val,
           "Value of pepper; the lowest of an integer type, -1 for floats, when not given.", kPerSample)
      .arg(
          "per_channel", &SaltAndPepperArgs::per_channel,
          "Whether each channel of a pixel is decided on its own. Without a layout, the last axis is taken for that of "
          "channels.")
      .example({{"prob", .3}});
}

}  // namespace penstock
