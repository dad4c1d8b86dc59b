// What `if`, `and`, `or` and `not` over nodes are made of: which samples a branch has, and what comes out of both.
#include <cstring>

#include <penstock/dtype.h>

#include "core/check.h"
#include "core/dispatch.h"
#include "ops/elements/element_form.h"
#include "ops/region.h"
#include "schema/registry.h"
#include "schema/selects.h"

namespace penstock {
namespace {

template <class T>
bool is_true(const std::byte* data) {
  T x;
  std::memcpy(&x, data, sizeof x);
  if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
    return static_cast<float>(x) != 0;
  else
    return x != T{};
}

struct TruthArgs {
  std::string expression = "if";
  std::string side;
  bool negate = false;
};

class Truth final : public SampleOperator<TruthArgs> {
 public:
  void infer(Sample& s) const override {
    if (is_asked(s)) check(s.in(0).tensor);
    s.out(0).describe({DType::kBool, {}, {}});
  }
  void run(Sample& s) const override {
    bool* out = reinterpret_cast<bool*>(s.out(0).tensor.data);
    *out = is_asked(s) && truth(s.in(0).tensor) != constants().negate;
  }

 private:
  /// Whether the sample is of the branch in which the question is asked; a sample of another has no value.
  static bool is_asked(const Sample& s) { return s.num_inputs() < 2 || *s.in(1).tensor.data != std::byte{}; }

  void check(const TensorDesc& desc) const {
    const auto& [expression, side, negate] = constants();
    if (expression == "if") {
      PENSTOCK_CHECK(desc.shape.ndim() == 0, DataError,
                     "Conditions inside `if` statements are restricted to scalar (0-d tensors) inputs, that are placed "
                     "on CPU. Got a {}-d input as a condition of the `if` statement.",
                     desc.shape.ndim());
      return;
    }
    const std::string where = side.empty() ? "argument" : side + " argument";
    PENSTOCK_CHECK(desc.shape.ndim() == 0, DataError,
                   "Logical expression `{}` is restricted to scalar (0-d tensors) inputs of `bool` type, that are "
                   "placed on CPU. Got a {}-d input as the {} in logical expression.",
                   expression, desc.shape.ndim(), where);
    PENSTOCK_CHECK(desc.dtype == DType::kBool || expression == "not", DataError,
                   "Logical expression `{}` is restricted to scalar (0-d tensors) inputs of `bool` type, that are "
                   "placed on CPU. Got an input of type `{}` as the {} in logical expression. Compare it with "
                   "something, such as `x != 0`.",
                   expression, name_of(desc.dtype), where);
  }

  static bool truth(const TensorView& x) {
    return dispatch_all(x.dtype, [&](auto tag) { return is_true<typename decltype(tag)::type>(x.data); });
  }
};

struct MergeArgs {};

struct MergeState {
  int selected = 0;
};

class Merge final : public SampleOperator<MergeArgs, MergeState>, public Selects, public ElementForm {
 public:
  Merge() {
    traits_.selects = this;
    traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
    program_ = {.leads = {}, .keeps_pixels = true};
  }
  void infer(Sample& s) const override {
    const int k = *s.in(2).tensor.data != std::byte{} ? 0 : 1;
    state(s).selected = k;
    PENSTOCK_CHECK(s.in(k).tensor.dtype != DType::kNone, DataError,
                   "the value of the branch that the sample takes was made in another branch");
    s.out(0).describe(s.in(k).tensor);
    s.out(0).source = s.in(k).source;
    s.out(0).lies_in = s.in(k).lies_in;
  }
  int selected(const Sample& s) const override { return state(s).selected; }
  void need(Sample& s) const override {
    for (int k : {0, 1}) s.need(k, k == selected(s) ? s.wanted(0) : Region{});
  }
  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    const size_t bytes = bytes_of(out, s.wanted(0));
    if (bytes > 0) std::memcpy(out.data, dense_part(s, selected(s), s.wanted(0)), bytes);
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const Value& in = s.in(selected(s));
    work.begin(held_part(s.out(0)));
    work.load(work.input(selected(s), held_part(in), view_in_place(in, s.out(0))));
  }
  bool reads(int input) const override { return input < 2; }
};

}  // namespace

[[gnu::cold]] void register_conditional(Registry& r) {
  r.add<Truth>("_conditional_truth")
      .doc("Whether a number is true: which samples are of a branch.")
      .input("value", {}, "A number without axes; BOOL for `and` and `or`.")
      .holds("number")
      .input("within", {}, "Which samples are of the branch around; others give false.")
      .optional()
      .reads_data()
      .holds("nothing")
      .output("truth", "BOOL without axes.")
      .arg("expression", &TruthArgs::expression, "\"if\", \"and\", \"or\" or \"not\", for messages.")
      .arg("side", &TruthArgs::side, "Which argument of `and` or `or` it is.")
      .arg("negate", &TruthArgs::negate, "The opposite.")
      .host_only("the host decides which samples are made")
      .hidden();
  r.add<Merge>("_conditional_merge")
      .doc("What the branch gives that a sample takes.")
      .input("then", {}, "For samples whose predicate is true.")
      .input("otherwise", {}, "For the others.")
      .input("predicate", {}, "BOOL without axes.")
      .reads_data()
      .holds("flag")
      .output("output", "One of the two.")
      .hidden();
}

}  // namespace penstock
