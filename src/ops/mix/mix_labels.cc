// Operators behind mixup and cutmix that users do not see: the share, and the labels.
#include <cmath>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "ops/mix/mix.h"
#include "ops/random/beta_variate.h"

namespace penstock {
namespace {

class MixShare final : public SampleOperator<MixArgs> {
 public:
  void infer(Sample& s) const override { s.out(0).describe({.dtype = DType::kFloat, .shape = {}, .layout = {}}); }
  void run(Sample& s) const override {
    Random random = s.random();
    const double alpha = static_cast<double>(constants().alpha);
    *s.out(0).tensor.as<float>() = alpha == 0 ? 1.f : static_cast<float>(beta_variate(random, alpha, alpha));
  }
};

struct MixLabelsArgs {
  float share = 1;
  int64_t num_classes = 0;
};

class MixLabels final : public SampleOperator<MixLabelsArgs> {
 public:
  void infer(Sample& s) const override {
    int64_t classes = args(s).num_classes;
    for (int i = 0; i < s.num_inputs(); ++i) {
      const TensorDesc& in = s.in(i).tensor;
      if (!is_shares(in)) {
        PENSTOCK_CHECK(in.shape.volume() == 1 && !is_floating(in.dtype), ArgumentError,
                       "a label must be one class number, or FLOAT with a share for each class; got {} of the shape {}",
                       name_of(in.dtype), to_string(in.shape));
        PENSTOCK_CHECK(args(s).num_classes > 0, ArgumentError, "class numbers need `num_classes`");
        continue;
      }
      PENSTOCK_CHECK(classes == 0 || classes == in.shape[0], ArgumentError,
                     "a label has {} shares where others have {}", in.shape[0], classes);
      classes = in.shape[0];
    }
    s.out(0).describe({.dtype = DType::kFloat, .shape = {classes}, .layout = {}});
  }
  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    std::fill_n(out.as<float>(), out.shape[0], 0.f);
    add(s.in(0).tensor, args(s).share, out);
    add(s.in(1).tensor, 1 - args(s).share, out);
  }

 private:
  static bool is_shares(const TensorDesc& in) { return in.shape.ndim() == 1 && in.dtype == DType::kFloat; }
  static void add(const TensorView& label, float share, const TensorView& out) {
    if (is_shares(label)) {
      for (int64_t k = 0; k < out.shape[0]; ++k) out.as<float>()[k] += share * label.as<float>()[k];
      return;
    }
    int64_t number = 0;
    assign(number, value_from(TensorView{{label.dtype, {}, {}}, label.data}));
    PENSTOCK_CHECK(number >= 0 && number < out.shape[0], ArgumentError, "the label {} is not below `num_classes`, {}",
                   number, out.shape[0]);
    out.as<float>()[number] += share;
  }
};

}  // namespace

[[gnu::cold]] void register_mix_labels(Registry& r) {
  r.add<MixShare>("_mix_share")
      .doc("How much of a sample stays its own.")
      .output("share", "FLOAT scalar.")
      .arg("alpha", &MixArgs::alpha, "As of `mixup`.")
      .host_only("each number takes as many draws as chance wants")
      .random()
      .hidden();
  r.add<MixLabels>("_mix_labels")
      .doc("Shares of classes, of two labels.")
      .input("label", {}, "A class number, or FLOAT: a share for each class.")
      .holds("class")
      .input("other", {}, "Likewise.")
      .holds("class")
      .output("labels", "FLOAT: a share for each class.")
      .arg("share", &MixLabelsArgs::share, "Of the first label.", kPerSample)
      .arg("num_classes", &MixLabelsArgs::num_classes, "As of `mixup`.")
      .example({{"num_classes", 7}})
      .host_only("a few numbers")
      .hidden();
}

}  // namespace penstock
