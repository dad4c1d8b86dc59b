#include <cmath>

#include "ops/random/beta_variate.h"
#include "ops/random/draw.h"

namespace penstock {
namespace {

struct BetaArgs : DrawArgs {
  float alpha = 1, beta = 1;
};

class Beta final : public DrawOperator<BetaArgs> {
 public:
  Beta() : DrawOperator(DType::kFloat) {}
  void run(Sample& s) const override {
    const float alpha = args(s).alpha, beta = args(s).beta;
    PENSTOCK_CHECK(alpha > 0 && std::isfinite(alpha), ArgumentError, "`alpha` must be positive, got {}", alpha);
    PENSTOCK_CHECK(beta > 0 && std::isfinite(beta), ArgumentError, "`beta` must be positive, got {}", beta);
    fill_from(s, [=]<class AnyRandom>(AnyRandom& random) {
      const double variate = beta_variate(random, static_cast<double>(alpha), static_cast<double>(beta));
      return static_cast<decltype(random.uniform())>(variate);
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
