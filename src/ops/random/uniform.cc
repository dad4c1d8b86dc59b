#include <cmath>

#include "ops/random/draw.h"

namespace penstock {
namespace {

struct UniformArgs : DrawArgs {
  std::vector<float> range = {-1, 1};
  std::vector<float> values;
};

class Uniform final : public DrawOperator<UniformArgs>, public DrawForm {
 public:
  Uniform() : DrawOperator(DType::kFloat) {}
  void setup() override {
    DrawOperator::setup();
    discrete_ = spec().given("values");
    PENSTOCK_CHECK(!discrete_ || !spec().given("range"), ArgumentError,
                   "`range` and `values` are mutually exclusive; give one of them");
  }

  void run(Sample& s) const override {
    if (discrete_) {
      const std::span<const float> values = given_values(s);
      const auto count = static_cast<uint32_t>(values.size());
      return fill_from(s, [&](Random& random) { return values[random.below(count)]; });
    }
    const auto [low, high] = range(s);
    fill_from(s, [low = low, high = high](auto& random) { return random.uniform(low, high); });
  }

 private:
  std::span<const float> given_values(const Sample& s) const {
    const std::vector<float>& values = args(s).values;
    PENSTOCK_CHECK(!values.empty(), ArgumentError, "`values` must hold at least one value");
    return values;
  }
  std::pair<float, float> range(const Sample& s) const {
    const std::vector<float>& range = args(s).range;
    PENSTOCK_CHECK(range.size() == 2, ArgumentError, "`range` needs two values, low and high, got [{}]",
                   fmt::join(range, ", "));
    const float low = range[0], high = range[1];
    PENSTOCK_CHECK(low <= high && std::isfinite(high - low), ArgumentError,
                   "Invalid range [{}, {}): low must not be above high, and both must be finite", low, high);
    return {low, high};
  }
  kernels::DrawTable draw_table(Sample& s, device::Staging& staging) const override {
    if (discrete_) {
      const std::span<const float> values = given_values(s);
      return {.seed = spec().seed,
              .kind = kernels::Draw::kPick,
              .values = staging.put(values),
              .count = static_cast<uint32_t>(values.size())};
    }
    const auto [low, high] = range(s);
    return {.seed = spec().seed, .kind = kernels::Draw::kUniform, .a = low, .b = high};
  }
  bool discrete_ = false;
};

}  // namespace

[[gnu::cold]] void register_uniform(Registry& r) {
  add_draw<Uniform>(r, "random.uniform", "uniform", "Numbers that are uniform over a range, or picked from a list.",
                    "Type of the output; float when not given. FLOAT64 numbers have "
                    "53 random bits, all others 24, and are rounded to integers where needed.")
      .arg("range", &UniformArgs::range, "Half-open range [low, high). Excludes `values`.", kPerSample)
      .arg("values", &UniformArgs::values, "The values to pick from, each as likely. Excludes `range`.", kPerSample);
}

}  // namespace penstock
