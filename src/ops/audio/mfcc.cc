#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "kernels/bands/bands.h"
#include "ops/audio/signal.h"
#include "ops/axes.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct MfccArgs {
  int64_t n_mfcc = 20, dct_type = 2, axis = 0;
  bool normalize = false;
  float lifter = 0;
};

constexpr int64_t kMostWeights = int64_t{1} << 26;

/// A cosine transform of `length` numbers into as many or fewer.
struct CosineTransform {
  int64_t length = -1;
  std::vector<float> weights;
  std::vector<kernels::Band> rows;
};

/// The factor of number i in coefficient k, as in https://en.wikipedia.org/wiki/Discrete_cosine_transform.
double cosine_weight(int64_t type, int64_t n, int64_t k, int64_t i) {
  const auto x = static_cast<double>(i), y = static_cast<double>(k), count = static_cast<double>(n);
  constexpr double kPi = std::numbers::pi;
  switch (type) {
    case 1:
      if (i == 0) return 0.5;
      if (i == n - 1) return k % 2 == 0 ? 0.5 : -0.5;
      return std::cos(kPi / (count - 1) * x * y);
    case 2:
      return std::cos(kPi / count * (x + 0.5) * y);
    case 3:
      return i == 0 ? 0.5 : std::cos(kPi / count * x * (y + 0.5));
    default:
      return std::cos(kPi / count * (x + 0.5) * (y + 0.5));
  }
}

/// What makes the basis orthonormal.
double norm(int64_t type, int64_t n, int64_t k, int64_t i) {
  const auto count = static_cast<double>(n);
  if (type == 2 && k == 0) return std::sqrt(1 / count);
  if (type == 3 && i == 0) return std::sqrt(1 / count) * 2;  // the weight is 0.5
  return std::sqrt(2 / count);
}

double lifting(float lifter, int64_t k) {
  return lifter > 0 ? 1 + lifter / 2.0 * std::sin(std::numbers::pi * static_cast<double>(k + 1) / lifter) : 1;
}

void make_transform(const MfccArgs& a, int64_t n, CosineTransform& made) {
  made = {.length = n};
  const int64_t count = std::min(a.n_mfcc, n);
  made.weights.reserve(static_cast<size_t>(count * n));
  for (int64_t k = 0; k < count; ++k)
    for (int64_t i = 0; i < n; ++i)
      made.weights.push_back(static_cast<float>(cosine_weight(a.dct_type, n, k, i) *
                                                (a.normalize ? norm(a.dct_type, n, k, i) : 1) * lifting(a.lifter, k)));
  for (int64_t k = 0; k < count; ++k) made.rows.push_back({0, n, made.weights.data() + k * n});
}

class Mfcc final : public SampleOperator<MfccArgs, CosineTransform> {
 public:
  void setup() override {
    const MfccArgs& a = constants();
    PENSTOCK_CHECK(a.dct_type >= 1 && a.dct_type <= 4, ArgumentError,
                   "Unsupported DCT type: {}. Supported types are: 1, 2, 3, 4", a.dct_type);
    PENSTOCK_CHECK(!a.normalize || a.dct_type != 1, ArgumentError,
                   "Ortho-normalization is not supported for DCT type I (`dct_type`=1)");
    PENSTOCK_CHECK(a.n_mfcc > 0, ArgumentError, "number of MFCCs should be > 0: `n_mfcc` is {}", a.n_mfcc);
    PENSTOCK_CHECK(std::isfinite(a.lifter), ArgumentError, "`lifter` must be finite, got {}", a.lifter);
  }
  void infer(Sample& s) const override {
    TensorDesc out = s.in(0).tensor;
    check_float(out);
    const int axis = axis_in(constants().axis, out.shape.ndim());
    const int64_t n = out.shape[axis], count = std::min(constants().n_mfcc, n);
    PENSTOCK_CHECK(constants().dct_type != 1 || n != 1, ArgumentError,
                   "DCT type I (`dct_type`=1) requires an input length > 1");
    PENSTOCK_CHECK(n <= kMostWeights && count * n <= kMostWeights, ArgumentError,
                   "{} coefficients of {} numbers are too many", count, n);
    out.shape[axis] = count;
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const int axis = axis_in(constants().axis, in.shape.ndim());
    const int64_t n = in.shape[axis];
    CosineTransform& transform = state(s);
    if (transform.length != n) make_transform(constants(), n, transform);
    const auto [outer, inner] = around_axis(in.shape, axis);
    for (int64_t i = 0; i < outer; ++i)
      kernels::multiply_bands(transform.rows, in.as<float>() + i * n * inner, inner,
                              s.out(0).tensor.as<float>() + i * static_cast<int64_t>(transform.rows.size()) * inner);
  }
};

}  // namespace

[[gnu::cold]] void register_mfcc(Registry& r) {
  r.add<Mfcc>("mfcc")
      .doc("Mel-frequency cepstral coefficients: a cosine transform of a mel spectrogram in decibels along its mels.")
      .input("mel", {}, "Float tensor of one axis or more.")
      .holds("spectrogram")
      .output("mfcc", "Float tensor; along the axis it has `n_mfcc` coefficients, or as many as there were numbers.")
      .arg("n_mfcc", &MfccArgs::n_mfcc, "Number of coefficients.")
      .arg("dct_type", &MfccArgs::dct_type, "Kind of cosine transform, 1 to 4.")
      .arg("normalize", &MfccArgs::normalize, "Make the cosines orthonormal; not with `dct_type` 1.")
      .arg("axis", &MfccArgs::axis, "Number of the axis that is transformed; negative ones count from the end.")
      .arg("lifter", &MfccArgs::lifter,
           "Above 0: coefficient k is multiplied by 1 + lifter / 2 * sin(pi * (k + 1) / lifter).")
      .example({{"n_mfcc", 3}, {"lifter", 22.0}})
      .host_only("a few coefficients a window, of spectrograms that are made on the host")
      .differs("Takes tensors of one axis and negative axes, too.");
}

}  // namespace penstock
