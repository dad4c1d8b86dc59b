// What stands behind indexing of a node, x[1, :, ::-1, i].
#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "core/check.h"
#include "kernels/strided/strided.h"
#include "ops/elements/element_form.h"
#include "ops/tensor/descriptor_operator.h"
#include "schema/registry.h"

namespace penstock {
namespace {

constexpr size_t kMaxSubscripts = 32;

struct SubscriptArgs {
  using PerAxis = std::array<std::optional<int64_t>, kMaxSubscripts>;
  PerAxis at, lo, hi, step;
  int64_t num_subscripts = 0;
};

/// The elements begin, begin + step, ... of an axis.
struct Range {
  int64_t begin = 0, step = 1, count = 0;
};

/// Python's rule for x[lo:hi:step] on an axis of that length.
Range python_slice(std::optional<int64_t> lo, std::optional<int64_t> hi, int64_t step, int64_t length) {
  const int64_t first = step > 0 ? 0 : -1, last = step > 0 ? length : length - 1;  // bounds clamp to [first, last]
  const auto bound = [&](std::optional<int64_t> given, int64_t fallback) {
    if (!given) return fallback;
    return std::clamp(*given < 0 ? *given + length : *given, first, last);
  };
  const int64_t begin = bound(lo, step > 0 ? first : last), end = bound(hi, step > 0 ? last : first);
  const int64_t span = step > 0 ? end - begin : begin - end;
  if (span <= 0) return {begin, step, 0};
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  return {begin, step, static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride + 1)};
}

void check_count(int64_t subscripts, int ndim) {
  PENSTOCK_CHECK(subscripts <= ndim, ArgumentError, "Too many indices ({}) for a {}-D tensor", subscripts, ndim);
}

struct SubscriptState {
  ElementView view;
};

class Subscript final : public SampleOperator<SubscriptArgs, SubscriptState>, public ElementForm {
 public:
  Subscript() {
    traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
  }
  void setup() override {
    for (const std::string& name : spec().arg_inputs) check_known(name);
    for (const auto& [name, value] : spec().args) check_known(name);
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const SubscriptArgs& args = this->args(s);
    const int ndim = in.shape.ndim();
    PENSTOCK_CHECK(ndim > 0, ArgumentError, "Cannot apply an index to a scalar");
    check_count(std::max(args.num_subscripts, highest_), ndim);
    TensorDesc& out = s.out(0).tensor;
    out = {in.dtype, {}, {}};
    ElementView& view = state(s).view = {};
    std::string letters;
    for (int axis = 0; axis < ndim; ++axis) {
      const auto k = static_cast<size_t>(axis);
      if (args.at[k]) {
        view.start[k] = index(*args.at[k], axis, in.shape[axis]);
        continue;
      }
      const int64_t step = args.step[k].value_or(1);
      PENSTOCK_CHECK(step != 0, ArgumentError, "Step cannot be zero, as it is at axis {}", axis);
      const Range range = python_slice(args.lo[k], args.hi[k], step, in.shape[axis]);
      if (range.count > 0) view.start[k] = range.begin;
      const auto to = static_cast<size_t>(out.shape.ndim());
      view.axis[to] = axis;
      // A single element takes no step, and a step beyond the axis would only overflow.
      view.step[to] = range.count > 1 ? step : 0;
      out.shape.push_back(range.count);
      if (!in.layout.empty()) letters += in.layout[axis];
    }
    out.layout = Layout(letters);
  }

  void need(Sample& s) const override {
    const Shape& out = s.out(0).tensor.shape;
    if (s.wanted(0).empty()) return s.need(0, {});
    const ElementView& view = state(s).view;
    Region region(s.in(0).tensor.shape);
    for (int axis = 0; axis < s.in(0).tensor.shape.ndim(); ++axis) {
      const int64_t start = view.start[static_cast<size_t>(axis)];
      region.set(axis, start, start + 1);
    }
    for (int axis = 0; axis < out.ndim(); ++axis) {
      const auto k = static_cast<size_t>(axis);
      const int64_t first = region.begin(view.axis[k]);
      const auto [low, high] = std::minmax(
          {first + view.step[k] * s.wanted(0).begin(axis), first + view.step[k] * (s.wanted(0).end(axis) - 1)});
      region.set(view.axis[k], low, high + 1);
    }
    s.need(0, region);
  }
  void run(Sample& s) const override {
    const TensorDesc in = held_part(s.in(0)), out = held_part(s.out(0));
    const auto element = static_cast<int64_t>(size_of(in.dtype));
    if (out.shape.volume() == 0) return;
    const kernels::Strides strides = kernels::dense_strides(in.shape);
    const ElementView view = view_of(s);
    kernels::strided_copy(out.shape, size_of(in.dtype), s.in(0).tensor.data + view.offset(strides) * element,
                          view.strides(strides), s.out(0).tensor.data, kernels::dense_strides(out.shape));
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), view_of(s)));
  }

 private:
  /// What output 0 holds, as it lies in what input 0 holds.
  ElementView view_of(Sample& s) const {
    ElementView view = state(s).view;
    for (int axis = 0; axis < s.out(0).tensor.shape.ndim(); ++axis) {
      const auto k = static_cast<size_t>(axis);
      view.start[static_cast<size_t>(view.axis[k])] += view.step[k] * s.out(0).held.begin(axis);
    }
    for (int axis = 0; axis < s.in(0).tensor.shape.ndim(); ++axis)
      view.start[static_cast<size_t>(axis)] -= s.in(0).held.begin(axis);
    return view;
  }
  static int64_t index(int64_t at, int axis, int64_t length) {
    PENSTOCK_CHECK(at >= -length && at < length, IndexError, "Index {} is out of range for axis {} of length {}", at,
                   axis, length);
    return at < 0 ? at + length : at;
  }

  /// Notes the highest axis that an argument such as "lo_3" speaks of, and refuses an axis that is told two things.
  void check_known(const std::string& name) {
    const size_t mark = name.rfind('_');
    if (name == "num_subscripts" || mark == std::string::npos) return;
    const std::string axis = name.substr(mark);
    highest_ = std::max<int64_t>(highest_, std::stoi(axis.substr(1)) + 1);
    if (!spec().given("at" + axis)) return;
    for (const char* other : {"lo", "hi", "step"})
      PENSTOCK_CHECK(!spec().given(other + axis), ArgumentError, "axis {} has an index and a range", axis.substr(1));
  }

  int64_t highest_ = 0;
};

struct DimCheckArgs {
  int64_t num_subscripts = 0;
};

/// x[:, :]: nothing to cut, but the axes must exist.
class SubscriptDimCheck final : public DescriptorOperator<DimCheckArgs> {
 public:
  void infer(Sample& s) const override {
    check_count(args(s).num_subscripts, s.in(0).tensor.shape.ndim());
    s.out(0).tensor = s.in(0).tensor;
  }
};

}  // namespace

[[gnu::cold]] void register_subscript(Registry& r) {
  auto op = r.add<Subscript>("_tensor_subscript");
  op.doc("The part of a tensor that x[...] names.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The selected elements.")
      .arg("num_subscripts", &SubscriptArgs::num_subscripts, "How many subscripts were written.")
      .example({{"num_subscripts", 1}, {"lo_0", 0}, {"hi_0", -1}})
      .hidden();
  for (size_t k = 0; k < kMaxSubscripts; ++k) {
    const std::string axis = "_" + std::to_string(k);
    op.arg("at" + axis, &SubscriptArgs::at, k, "Index on this axis; the axis is removed.", kPerSample)
        .arg("lo" + axis, &SubscriptArgs::lo, k, "Where the range on this axis begins.", kPerSample)
        .arg("hi" + axis, &SubscriptArgs::hi, k, "Where the range on this axis ends.", kPerSample)
        .arg("step" + axis, &SubscriptArgs::step, k, "Step of the range on this axis.", kPerSample);
  }
  r.add<SubscriptDimCheck>("_subscript_dim_check")
      .doc("Refuses tensors that have fewer axes than subscripts were written.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The same tensor.")
      .arg("num_subscripts", &DimCheckArgs::num_subscripts, "How many subscripts were written.")
      .example({{"num_subscripts", 1}})
      .hidden();
}

}  // namespace penstock
