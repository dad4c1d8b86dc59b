#include <cmath>

#include "ops/base/separable.h"

namespace penstock {
namespace {

struct GaussianBlurArgs {
  std::vector<float> sigma;
  std::vector<int64_t> window_size;
  std::optional<DType> dtype;
};

constexpr int64_t kMostWeights = 1 << 20;

/// Either may be 0: it then follows from the other one.
void fill_window(float sigma, int64_t size, std::vector<float>& window) {
  PENSTOCK_CHECK(sigma >= 0 && std::isfinite(sigma), ArgumentError, "`sigma` must have non-negative values, got {}",
                 sigma);
  PENSTOCK_CHECK(size >= 0 && (size == 0 || size % 2 == 1) && size < kMostWeights, ArgumentError,
                 "`window_size` must be odd, positive and below {}, got {}", kMostWeights, size);
  PENSTOCK_CHECK(sigma > 0 || size > 0, ArgumentError, "`sigma` and `window_size` shouldn't be 0 at the same time");
  PENSTOCK_CHECK(size > 0 || sigma < kMostWeights / 6, ArgumentError, "`sigma` is too large: {}", sigma);
  const int64_t radius = size > 0 ? size / 2 : static_cast<int64_t>(std::ceil(3 * sigma));
  if (sigma == 0) sigma = static_cast<float>(radius - 1) * .3f + .8f;
  window.resize(static_cast<size_t>(2 * radius + 1));
  double sum = 0;
  for (int64_t k = -radius; k <= radius; ++k) {
    const double x = static_cast<double>(k) / sigma, weight = std::exp(-x * x / 2);
    window[static_cast<size_t>(k + radius)] = static_cast<float>(weight);
    sum += weight;
  }
  for (float& weight : window) weight = static_cast<float>(weight / sum);
}

class GaussianBlur final : public SeparableOperator<GaussianBlurArgs> {
  void windows(const Sample& s, int axes, std::vector<Windows>& terms) const override {
    terms.resize(1);
    for (int axis = 0; axis < axes; ++axis)
      fill_window(along<float>("sigma", args(s).sigma, axis, axes, 0),
                  along<int64_t>("window_size", args(s).window_size, axis, axes, 0),
                  terms[0][static_cast<size_t>(axis)]);
  }
};

}  // namespace

[[gnu::cold]] void register_gaussian_blur(Registry& r) {
  r.add<GaussianBlur>("gaussian_blur")
      .doc(
          "Blurs images, volumes or every frame of a sequence with a Gaussian. Beyond the border pixels are mirrored, "
          "without the border pixel itself.")
      .input("data", {}, "Any type but bool; channels first or last. Without a layout all axes are blurred.")
      .output("blurred", "Shape and layout of the input, its type or FLOAT.")
      .arg("sigma", &GaussianBlurArgs::sigma,
           "Standard deviation in pixels: one, or one for each axis, outermost first. When 0 or not given it is "
           "0.3 ((window_size - 1) / 2 - 1) + 0.8.",
           kPerSample)
      .arg("window_size", &GaussianBlurArgs::window_size,
           "Odd number of weights, likewise. When 0 or not given it is 2 ceil(3 sigma) + 1.", kPerSample)
      .arg("dtype", &GaussianBlurArgs::dtype, "FLOAT, or the input's type, which it is when not given.")
      .tolerance(1)
      .example({{"sigma", 1.2}});
}

}  // namespace penstock
