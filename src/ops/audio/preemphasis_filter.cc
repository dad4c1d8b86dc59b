#include <cmath>

#include "core/check.h"
#include "kernels/convert/convert.h"
#include "kernels/sound/decibels.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PreemphasisArgs {
  float preemph_coeff = 0.97f;
  std::string border = "clamp";
  DType dtype = DType::kFloat;
};

void check_type(DType dtype, const char* which) {
  PENSTOCK_CHECK(dtype != DType::kNone && dtype != DType::kBool, TypeError, "unsupported {} type: {}", which,
                 name_of(dtype));
}

class PreemphasisFilter final : public SampleOperator<PreemphasisArgs> {
 public:
  void setup() override {
    const std::string& border = constants().border;
    PENSTOCK_CHECK(border == "zero" || border == "clamp" || border == "reflect", ArgumentError,
                   "`border` mode \"{}\" is not supported; use \"zero\", \"clamp\" or \"reflect\"", border);
    check_type(constants().dtype, "output");
  }
  void infer(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    check_type(in.dtype, "input");
    s.out(0).describe({constants().dtype, in.shape, in.layout});
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    const int64_t count = in.shape.volume();
    PENSTOCK_CHECK(std::isfinite(args(s).preemph_coeff), ArgumentError, "`preemph_coeff` must be finite, got {}",
                   args(s).preemph_coeff);
    if (count == 0) return;
    const auto* samples = in.as<const float>();
    if (in.dtype != DType::kFloat) {
      auto* converted = s.scratch_array<float>(static_cast<size_t>(count));
      kernels::convert(in.dtype, in.data, DType::kFloat, reinterpret_cast<std::byte*>(converted), count);
      samples = converted;
    }
    float* made = out.dtype == DType::kFloat ? out.as<float>() : s.scratch_array<float>(static_cast<size_t>(count));
    kernels::emphasize(samples, count, args(s).preemph_coeff, before_first(samples, count), made);
    if (out.dtype != DType::kFloat)
      kernels::convert(DType::kFloat, reinterpret_cast<std::byte*>(made), out.dtype, out.data, count);
  }

 private:
  float before_first(const float* samples, int64_t count) const {
    if (constants().border == "zero") return 0;
    return constants().border == "reflect" && count > 1 ? samples[1] : samples[0];
  }
};

}  // namespace

[[gnu::cold]] void register_preemphasis_filter(Registry& r) {
  r.add<PreemphasisFilter>("preemphasis_filter")
      .doc(
          "Weakens low frequencies: y[t] = x[t] - preemph_coeff * x[t - 1]. A tensor of several axes is one signal, in "
          "the order of memory.")
      .input("signal", {}, "Tensor of any shape and of any type but bool.")
      .output("filtered", "Tensor of the same shape and layout.")
      .arg("preemph_coeff", &PreemphasisArgs::preemph_coeff, "What is taken off of the sample before.", kPerSample)
      .arg("border", &PreemphasisArgs::border,
           "What lies before the first sample: \"zero\", \"clamp\" (the first sample) or \"reflect\" (the second).")
      .arg("dtype", &PreemphasisArgs::dtype, "Type of the output; numbers are rounded and saturated.")
      .host_only("sound comes from the host's decoder; one pass over memory there costs less than the copy");
}

}  // namespace penstock
