#include <cmath>
#include <optional>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/strided/strided.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct OneHotArgs {
  int64_t num_classes = 0;
  int64_t axis = -1;
  DType dtype = DType::kFloat;
  float on_value = 1, off_value = 0;
  std::optional<std::string> axis_name;
};

struct OneHotState {
  int axis = 0;
};

/// The class that an element names, or -1.
template <class T>
int64_t class_of(T value, int64_t classes) {
  if constexpr (std::is_floating_point_v<T>) {
    const T whole = std::trunc(value);
    return whole >= 0 && whole < static_cast<T>(classes) ? static_cast<int64_t>(whole) : -1;
  } else {
    return std::cmp_greater_equal(value, 0) && std::cmp_less(value, classes) ? static_cast<int64_t>(value) : -1;
  }
}

class OneHot final : public SampleOperator<OneHotArgs, OneHotState>, public ElementForm {
 public:
  OneHot() { program_ = {.operands = 2, .instructions = 5}; }
  void setup() override {
    const OneHotArgs& args = constants();
    PENSTOCK_CHECK(args.num_classes >= 0, ArgumentError, "`num_classes` must not be negative, got {}",
                   args.num_classes);
    PENSTOCK_CHECK(!args.axis_name || args.axis_name->size() == 1, ArgumentError,
                   "Unsupported axis_name value. It must be a single character, got \"{}\" instead", *args.axis_name);
    PENSTOCK_CHECK(args.dtype != DType::kBool, TypeError, "Unsupported output type: bool");
    axis_given_ = spec().given("axis");
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    PENSTOCK_CHECK(in.dtype != DType::kBool, TypeError, "Unsupported input type: bool");
    // DALI's old rule: labels that come as one element become one vector, whatever their number of axes.
    const TensorDesc scalar{in.dtype, {}, {}};
    const TensorDesc& from = !axis_given_ && in.shape.volume() == 1 ? scalar : in;
    const int ndim = from.shape.ndim();
    const OneHotArgs& args = this->args(s);
    PENSTOCK_CHECK(args.axis >= -1 && args.axis <= ndim, ArgumentError,
                   "Provided axis is outside of allowed range, got: {}, expected to be in range: [-1, {}]", args.axis,
                   ndim);
    state(s).axis = args.axis < 0 ? ndim : static_cast<int>(args.axis);
    TensorDesc& out = s.out(0).tensor;
    out = {args.dtype, from.shape, {}};
    out.shape.insert(state(s).axis, args.num_classes);
    if (!args.axis_name) return;
    PENSTOCK_CHECK(from.layout.ndim() == ndim, ArgumentError,
                   "Input layout mismatch - expected input layout to be of size {} but instead got \"{}\", which is of "
                   "size {}",
                   ndim, from.layout.view(), from.layout.ndim());
    out.layout = from.layout;
    out.layout.insert(state(s).axis, (*args.axis_name)[0]);
  }

  void run(Sample& s) const override {
    dispatch_numeric(s.out(0).tensor.dtype, [&](auto target) { write<typename decltype(target)::type>(s); });
  }

  /// A label names the class of whose number it is the integral part.
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc &in = s.in(0).tensor, &out = s.out(0).tensor;
    const size_t axis = static_cast<size_t>(state(s).axis);
    ElementView label, number;
    number.axis.fill(-1);
    number.axis[axis] = 0, number.step[axis] = 1;
    for (size_t i = 0; i < static_cast<size_t>(out.shape.ndim()); ++i) {
      label.axis[i] = i == axis || in.shape.volume() == 1 ? -1 : static_cast<int>(i < axis ? i : i - 1);
      label.step[i] = 1;
    }
    work.begin(out);
    work.load(work.input(0, in, label));
    work.convert(DType::kFloat64);
    work.add({.step = kernels::Step::kTruncate}, DType::kFloat64);
    const uint8_t classes = work.number(Shape{args(s).num_classes}, number);
    work.apply(kernels::Code::kEqual, DType::kFloat64, classes, DType::kFloat64);
    dispatch_numeric(out.dtype, [&](auto target) {
      using Out = typename decltype(target)::type;
      work.add({.step = kernels::Step::kSelect,
                .immediate = {value_of_element(convert_sat<Out>(args(s).on_value)),
                              value_of_element(convert_sat<Out>(args(s).off_value))}},
               out.dtype);
    });
  }

 private:
  template <class Out>
  void write(Sample& s) const {
    const TensorView& in = s.in(0).tensor;
    const TensorView& out = s.out(0).tensor;
    const Out on = convert_sat<Out>(args(s).on_value), off = convert_sat<Out>(args(s).off_value);
    kernels::fill(out.data, reinterpret_cast<const std::byte*>(&off), sizeof(Out), out.shape.volume());
    int64_t inner = 1;
    for (int i = state(s).axis + 1; i < out.shape.ndim(); ++i) inner *= out.shape[i];
    const int64_t classes = args(s).num_classes, n = in.shape.volume();
    Out* dst = out.as<Out>();
    dispatch_numeric(in.dtype, [&](auto source) {
      using In = typename decltype(source)::type;
      const In* labels = in.as<In>();
      for (int64_t i = 0; i < n; ++i) {
        int64_t label = -1;
        if constexpr (is_small_float<In>)
          label = class_of(static_cast<float>(labels[i]), classes);
        else
          label = class_of(labels[i], classes);
        if (label >= 0) dst[(i / inner * classes + label) * inner + i % inner] = on;
      }
    });
  }

  bool axis_given_ = false;
};

}  // namespace

[[gnu::cold]] void register_one_hot(Registry& r) {
  r.add<OneHot>("one_hot")
      .doc(
          "Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element "
          "becomes a vector whatever its number of axes.")
      .input("labels", {}, "Class numbers. Those outside [0, num_classes) give `off_value` only.")
      .holds("class")
      .output("output", "The labels with an axis of `num_classes` more.")
      .arg("num_classes", &OneHotArgs::num_classes, "Number of classes.")
      .arg("axis", &OneHotArgs::axis, "Position of the axis of classes; -1 is the last.")
      .arg("dtype", &OneHotArgs::dtype, "Type of the output.")
      .arg("on_value", &OneHotArgs::on_value, "Value at the label's place.")
      .arg("off_value", &OneHotArgs::off_value, "Value everywhere else.")
      .arg("axis_name", &OneHotArgs::axis_name,
           "Letter of the axis of classes in the layout. Without it the layout is cleared.")
      .example({{"num_classes", 5}})
      .differs("`on_value` and `off_value` are rounded and kept in range; DALI cuts fractions off and wraps.")
      .differs(
          "Without `axis` each sample decides whether its single label becomes a vector, in DALI the whole batch does: "
          "give `axis=-1` where samples have different numbers of labels.");
}

}  // namespace penstock
