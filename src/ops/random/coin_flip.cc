#include "ops/random/draw.h"

namespace penstock {
namespace {

struct CoinFlipArgs : DrawArgs {
  float probability = .5f;
};

class CoinFlip final : public DrawOperator<CoinFlipArgs>, public DrawForm {
 public:
  CoinFlip() : DrawOperator(DType::kInt32) {}
  void run(Sample& s) const override {
    const auto p = static_cast<double>(probability(s));
    // 53 bits, whatever the output's type: of 24, the probability 1e-9 would become 6e-8.
    fill_from(s, [p](Random& random) {
      const uint32_t high = random.next();
      return unit53(high, random.next()) < p;
    });
  }

 private:
  float probability(const Sample& s) const {
    const float p = args(s).probability;
    PENSTOCK_CHECK(p >= 0 && p <= 1, ArgumentError, "`probability` must lie in [0, 1], got {}", p);
    return p;
  }
  kernels::DrawTable draw_table(Sample& s, device::Staging&) const override {
    return {.seed = spec().seed, .kind = kernels::Draw::kCoin, .a = probability(s)};
  }
};

}  // namespace

[[gnu::cold]] void register_coin_flip(Registry& r) {
  add_draw<CoinFlip>(r, "random.coin_flip", "coin_flip", "Gives 1 with a probability, else 0.",
                     "Type of the output; int32 when not given.")
      .arg("probability", &CoinFlipArgs::probability, "Probability of a 1.", kPerSample);
}

}  // namespace penstock
