#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "ops/elements/element_form.h"
#include "ops/mix/mix.h"

namespace penstock {
namespace {

struct MixUpArgs : MixArgs {
  float share = 1;
};

/// own * share + other * (1 - share), computed as (own - other) * share + other, which GPUs round alike.
template <class T>
T blended(T own, T other, float share) {
  const float a = convert_sat<float>(own), b = convert_sat<float>(other), x = (a - b) * share + b;
  if constexpr (std::is_unsigned_v<T>) {
    // Lies between both, so it is not negative; std::round() is not vectorised.
    const auto below = static_cast<int32_t>(x);
    return static_cast<T>(below + (x - static_cast<float>(below) >= .5f ? 1 : 0));
  } else {
    return convert_sat<T>(x);
  }
}

/// Mixes two pictures. A node of users' becomes one of these.
class MixUp final : public SampleOperator<MixUpArgs>, public ElementForm {
 public:
  MixUp() { program_.operands = 3, program_.instructions = 6; }
  void infer(Sample& s) const override {
    check_mixable(s.in(0).tensor, s.in(1).tensor);
    s.out(0).describe(s.in(0).tensor);
  }
  void run(Sample& s) const override {
    const TensorView &own = s.in(0).tensor, &other = s.in(1).tensor, &out = s.out(0).tensor;
    const float share = args(s).share;
    dispatch_among<uint8_t, float, uint16_t, int16_t, float16>(own.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T *a = own.as<T>(), *b = other.as<T>();
      T* to = out.as<T>();
      for (int64_t i = 0, n = own.shape.volume(); i < n; ++i) to[i] = blended(a[i], b[i], share);
    });
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc& out = s.out(0).tensor;
    const ElementView view = ElementView::broadcast(out.shape, out.shape);
    dispatch_among<uint8_t, float, uint16_t, int16_t, float16>(out.dtype, [](auto) {});
    work.begin(out);
    work.load(work.input(0, s.in(0).tensor, view));
    work.convert(DType::kFloat);
    const uint8_t other = work.input(1, s.in(1).tensor, view);
    work.apply(kernels::Code::kSub, DType::kFloat, other, DType::kFloat);
    work.apply(kernels::Code::kMul, args(s).share);
    work.apply(kernels::Code::kAdd, DType::kFloat, other, DType::kFloat);
    work.convert(out.dtype);
  }
};

std::vector<Node> expand(const AddNode& add, const OpNode& node) {
  MixNodes nodes(add, node);
  const Node share = nodes.share();
  const Node images = nodes.add_mixed("_mixup", {{"share", share}});
  return {images, nodes.mixed_labels(share)};
}

}  // namespace

[[gnu::cold]] void register_mixup(Registry& r) {
  add_mix<MixUp>(
      r, "mixup",
      "Mixes each sample of a batch with the one before it (the first one with the last): pixels by a random "
      "share, labels by the same (Zhang et al., \"mixup\", 2018). The share depends on the seed, the epoch "
      "and the sample alone, so batches of another size change results only at their ends.",
      {}, "uint8, int16, uint16, float16 or float; neighbours in the batch have one shape.")
      .expands(expand);
  r.add<MixUp>("_mixup")
      .doc("Mixes two pictures.")
      .input("own", {}, "uint8, int16, uint16, float16 or float.")
      .holds("alike")
      .input("other", {}, "Of the same shape and type.")
      .holds("alike")
      .output("mixed", "own * share + other * (1 - share).")
      .arg("share", &MixUpArgs::share, "Of the first input.", kPerSample)
      .example({{"share", 0.3}})
      .hidden();
}

}  // namespace penstock
