#include <cmath>

#include "ops/random/draw.h"

namespace penstock {
namespace {

struct BetaArgs : DrawArgs {
  float alpha = 1, beta = 1;
};

/// The logarithm of a gamma variate of that shape (Marsaglia and Tsang, "A simple method for generating gamma
/// variables", 2000). In logarithms, because for small shapes the variate itself underflows.
template <class AnyRandom>
double log_gamma_variate(AnyRandom& random, double shape) {
  const double raised = shape < 1 ? shape + 1 : shape;
  const double d = raised - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = random.normal(), t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t, u = 1.0 - random.uniform();
    if (std::log(u) >= .5 * x * x + d - d * v + d * std::log(v)) continue;
    const double log_variate = std::log(d * v);
    return shape < 1 ? log_variate + std::log(1.0 - random.uniform()) / shape : log_variate;
  }
}

class Beta final : public DrawOperator<BetaArgs> {
 public:
  Beta() : DrawOperator(DType::kFloat) {}
  void run(Sample& s) const override {
    const float alpha = args(s).alpha, beta = args(s).beta;
    PENSTOCK_CHECK(alpha > 0 && std::isfinite(alpha), ArgumentError, "`alpha` must be positive, got {}", alpha);
    PENSTOCK_CHECK(beta > 0 && std::isfinite(beta), ArgumentError, "`beta` must be positive, got {}", beta);
    fill_from(s, [=]<class AnyRandom>(AnyRandom& random) {
      const double a = log_gamma_variate(random, static_cast<double>(alpha));
      const double b = log_gamma_variate(random, static_cast<double>(beta));
      return static_cast<decltype(random.uniform())>(1 / (1 + std::exp(b - a)));
    });
  }
};

}  // namespace

[[gnu::cold]] void register_beta(Registry& r) {
  add_draw<Beta>(r, "random.beta", "", "Numbers in [0, 1] with a beta distribution.",
                 "Type of the output; float when not given. FLOAT64 numbers are made of 53 random bits, others of 24.")
      .arg("alpha", &BetaArgs::alpha, "First parameter of the distribution; positive.", kPerSample)
      .arg("beta", &BetaArgs::beta, "Second parameter of the distribution; positive.", kPerSample)
      .devices({"cpu"})
      .host_only("each number takes as many draws as chance wants, so they cannot be made side by side; DALI agrees");
}

}  // namespace penstock
