#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/random/draw.h"

namespace penstock {
namespace {

struct ChoiceArgs {
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::vector<float>> p;
};

class Choice final : public SampleOperator<ChoiceArgs> {
 public:
  Choice() { traits_.shape_only = input_bit(1); }
  void setup() override { check_one_shape(spec(), 1); }

  void infer(Sample& s) const override {
    const TensorDesc& from = s.in(0).tensor;
    PENSTOCK_CHECK(from.shape.ndim() > 0 || (!is_floating(from.dtype) && from.dtype != DType::kBool), TypeError,
                   "a scalar to choose below must be an integer, got {}", name_of(from.dtype));
    TensorDesc& out = s.out(0).tensor;
    out.dtype = from.dtype;
    out.shape = drawn_shape(args(s).shape, s, 1);
    out.layout = {};
    const int picks = out.shape.ndim();
    for (int axis = 1; axis < from.shape.ndim(); ++axis) out.shape.push_back(from.shape[axis]);
    // A list of picks is a list like `a`; one pick has not its first axis.
    if (!from.layout.empty() && picks <= 1) out.layout = picks ? from.layout : Layout(from.layout.view().substr(1));
  }

  void run(Sample& s) const override {
    const TensorView &from = s.in(0).tensor, &out = s.out(0).tensor;
    const int64_t count = from.shape.ndim() == 0 ? scalar(from) : from.shape[0];
    const int64_t picks = drawn_shape(args(s).shape, s, 1).volume();
    if (picks == 0) return;
    PENSTOCK_CHECK(count > 0, ArgumentError, "there must be an element or more to choose from, got {}", count);
    const std::vector<double> sums = cumulative(args(s).p, count);
    WideRandom random(s.random());
    const size_t element = from.shape.ndim() == 0 ? 0 : from.nbytes() / static_cast<size_t>(count);
    for (int64_t i = 0; i < picks; ++i) {
      const int64_t k = sums.empty() ? below(count, random) : pick(sums, random);
      if (from.shape.ndim() == 0)
        store(out, i, k);
      else
        std::memcpy(out.data + static_cast<size_t>(i) * element, from.data + static_cast<size_t>(k) * element, element);
    }
  }

 private:
  static int64_t scalar(const TensorView& tensor) {
    int64_t value = 0;
    assign(value, value_from(tensor));
    return value;
  }

  static int64_t below(int64_t count, WideRandom& random) {
    if (count <= int64_t{0xffffffff}) return random.below(static_cast<uint32_t>(count));
    return static_cast<int64_t>(random.below64(static_cast<uint64_t>(count)));
  }

  static void store(const TensorView& out, int64_t i, int64_t value) {
    dispatch_all(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      out.as<T>()[i] = convert_sat<T>(value);
    });
  }

  /// Running sums of the probabilities; empty when all elements are equally likely.
  static std::vector<double> cumulative(const std::optional<std::vector<float>>& p, int64_t count) {
    if (!p) return {};
    PENSTOCK_CHECK(static_cast<int64_t>(p->size()) == count, ArgumentError,
                   "`p` has {} probabilities for {} elements to choose from", p->size(), count);
    std::vector<double> sums;
    double sum = 0;
    for (float probability : *p) {
      PENSTOCK_CHECK(probability >= 0, ArgumentError, "`p` must not be negative, got {}", probability);
      sums.push_back(sum += static_cast<double>(probability));
    }
    PENSTOCK_CHECK(std::abs(sum - 1) <= 1e-4, ArgumentError, "`p` must sum to 1, got {}", sum);
    return sums;
  }

  /// Scaled to the true sum, so that rounding of `p` favours none and nothing of probability 0 is picked.
  static int64_t pick(const std::vector<double>& sums, WideRandom& random) {
    const double x = random.uniform() * sums.back();
    return std::upper_bound(sums.begin(), sums.end() - 1, x) - sums.begin();
  }
};

}  // namespace

[[gnu::cold]] void register_choice(Registry& r) {
  r.add<Choice>("random.choice")
      .doc("Picks elements at random, with replacement.")
      .input("a", {}, "A list to pick from along its first axis, or a scalar n for the integers below n.")
      .holds("count")
      .input("shape_like", {}, "Tensor whose shape the picks take. Excludes `shape`.")
      .optional()
      .output("picks", "What was picked, of the type of `a`.")
      .arg("shape", &ChoiceArgs::shape, "Shape of the picks; one pick when not given.", kPerSample)
      .arg("p", &ChoiceArgs::p, "Probability of each element; all equal when not given.", kPerSample)
      .devices({"cpu"})
      .host_only("picks from what the host must read; DALI agrees")
      .random();
}

}  // namespace penstock
