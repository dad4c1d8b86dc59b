#include "ops/random/draw.h"

namespace penstock {
namespace {

struct NormalArgs : DrawArgs {
  float mean = 0, stddev = 1;
};

class Normal final : public DrawOperator<NormalArgs>, public DrawForm {
 public:
  Normal() : DrawOperator(DType::kFloat) {}
  void run(Sample& s) const override {
    const float mean = args(s).mean, stddev = deviation(s);
    fill_from(s, [mean, stddev](auto& random) { return mean + stddev * random.normal(); });
  }

 private:
  float deviation(const Sample& s) const {
    const float stddev = args(s).stddev;
    PENSTOCK_CHECK(stddev >= 0, ArgumentError, "`stddev` must not be negative, got {}", stddev);
    return stddev;
  }
  kernels::DrawTable draw_table(Sample& s, device::Staging&) const override {
    return {.seed = spec().seed, .kind = kernels::Draw::kNormal, .a = args(s).mean, .b = deviation(s)};
  }
};

}  // namespace

[[gnu::cold]] void register_normal(Registry& r) {
  add_draw<Normal>(r, "random.normal", "normal_distribution", "Normally distributed numbers.",
                   "Type of the output; float when not given. FLOAT64 numbers have "
                   "53 random bits, all others 24, and are rounded to integers where needed.")
      .arg("mean", &NormalArgs::mean, "Mean of the distribution.", kPerSample)
      .arg("stddev", &NormalArgs::stddev, "Standard deviation of the distribution.", kPerSample);
}

}  // namespace penstock
