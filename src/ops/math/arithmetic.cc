// What stands behind operators between nodes and behind the module `math`: one node per function.
#include <array>
#include <cstring>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/arithmetic/elementwise.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

using kernels::Computation;
using kernels::kMaxOperands;
using kernels::Operand;

struct ArithmeticArgs {
  std::string op;
  std::vector<std::string> operands;
  std::vector<int64_t> integers;
  std::vector<float> reals;
};

/// An operand of the expression: an input, or a constant of a type.
struct Slot {
  int input = -1;
  DType dtype = DType::kNone;
  alignas(8) std::array<std::byte, 8> value{};
};

/// Takes constants out of the two lists, in order.
class Constants {
 public:
  explicit Constants(const ArithmeticArgs& args) : args_(args) {}
  Slot next(const std::string& type) {
    Slot slot;
    slot.dtype = dtype_named(type);
    PENSTOCK_CHECK(slot.dtype != DType::kNone, ArgumentError, "an operand is \"&\" or a type, got \"{}\"", type);
    dispatch_all(slot.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      T value{};
      if constexpr (std::is_integral_v<T>) {
        const int64_t number = take(args_.integers, integers_++);
        value = convert_sat<T>(number);
        PENSTOCK_CHECK((std::is_same_v<T, bool>) || std::cmp_equal(static_cast<int64_t>(value), number), ArgumentError,
                       "Integer constant {} out of range for {}", number, type);
      } else {
        value = convert_sat<T>(take(args_.reals, reals_++));
      }
      std::memcpy(slot.value.data(), &value, sizeof(T));
    });
    return slot;
  }

 private:
  template <class T>
  static T take(const std::vector<T>& list, size_t i) {
    PENSTOCK_CHECK(i < list.size(), ArgumentError, "there are more constant operands than values");
    return list[i];
  }
  const ArithmeticArgs& args_;
  size_t integers_ = 0, reals_ = 0;
};

struct ArithmeticState {
  Computation computation;
};

class Arithmetic final : public SampleOperator<ArithmeticArgs, ArithmeticState>, public ElementForm {
 public:
  void setup() override {
    const ArithmeticArgs& args = constants();
    function_ = &kernels::function_named(args.op);
    std::vector<std::string> operands = args.operands;
    if (operands.empty()) operands.assign(static_cast<size_t>(spec().num_inputs), "&");
    PENSTOCK_CHECK(static_cast<int>(operands.size()) == function_->arity, ArgumentError,
                   "`{}` takes {} operands, got {}", args.op, function_->arity, operands.size());
    Constants constants(args);
    int inputs = 0;
    for (const std::string& operand : operands)
      slots_.push_back(operand == "&" ? Slot{.input = inputs++} : constants.next(operand));
    PENSTOCK_CHECK(inputs == spec().num_inputs, ArgumentError, "{} operands are inputs, {} inputs were given", inputs,
                   spec().num_inputs);
    traits_.makes_regions = true;
    traits_.region_axes = kAnyAxis;
    program_ = {.leads = slots_.size() < 3 ? std::vector<int>{0, 1} : std::vector<int>{slots_[0].input},
                .keeps_pixels = inputs == 1,
                .may_refuse = function_->code == kernels::Code::kDiv || function_->code == kernels::Code::kMod,
                .operands = inputs,
                .instructions = 3 + static_cast<int>(slots_.size())};
  }

  void infer(Sample& s) const override {
    std::array<DType, kMaxOperands> types{};
    TensorDesc& out = s.out(0).tensor;
    out.shape = {};
    out.layout = {};
    for (size_t k = 0; k < slots_.size(); ++k) {
      types[k] = slots_[k].dtype;
      if (slots_[k].input < 0) continue;
      const TensorDesc& in = s.in(slots_[k].input).tensor;
      types[k] = in.dtype;
      broadcast(out.shape, in.shape);
      join_layouts(out.layout, in.layout);
    }
    if (out.layout.ndim() != out.shape.ndim()) out.layout = {};
    state(s).computation = kernels::computation(*function_, std::span(types.data(), slots_.size()));
    out.dtype = state(s).computation.result;
  }

  void need(Sample& s) const override {
    const TensorDesc& out = s.out(0).tensor;
    const Region& wanted = s.wanted(0);
    for (int i = 0; i < s.num_inputs(); ++i) {
      const Shape& in = s.in(i).tensor.shape;
      const int missing = out.shape.ndim() - in.ndim();
      Region region(in);
      for (int axis = 0; axis < in.ndim(); ++axis)  // axes of one element repeat
        if (in[axis] != 1) region.set(axis, wanted.begin(axis + missing), wanted.end(axis + missing));
      s.need(i, wanted.empty() ? Region() : region);
    }
  }

  void run(Sample& s) const override {
    const TensorView& out = s.out(0).tensor;
    std::array<Operand, kMaxOperands> operands;
    for (size_t k = 0; k < slots_.size(); ++k)
      operands[k] = slots_[k].input >= 0 ? located(s.in(slots_[k].input), out, s.wanted(0))
                                         : Operand{slots_[k].value.data(), slots_[k].dtype, {}};
    kernels::elementwise(state(s).computation, std::span(operands.data(), slots_.size()), cut(out, s.wanted(0)).shape,
                         out.data);
  }

  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk& ask) const override {
    const Computation& computation = state(s).computation;
    if (ask.refused && may_divide_by_zero(computation)) fail<DataError>(kernels::kDivisionByZero);
    work.begin(held_part(s.out(0)));
    const size_t lead = lead_slot(ask.lead);
    load(s, slots_[lead], work);
    work.wrap(computation.loaded[lead]);
    if (slots_.size() == 1) work.apply(function_->code, computation.loaded[0]);
    for (size_t k = 0; k < slots_.size(); ++k) {
      if (k == lead) continue;
      const bool clamps = slots_.size() == 3;  // which is min(high, max(low, x))
      const kernels::Code code = !clamps ? function_->code : k == 1 ? kernels::Code::kMax : kernels::Code::kMin;
      apply(s, slots_[k], code, computation.loaded[lead], computation.loaded[k], clamps || k < lead, work);
    }
    work.convert(computation.result);
  }

 private:
  /// Whether it may be why the GPU refuses a sample: that only says which launch did, and operators may share one.
  bool may_divide_by_zero(const Computation& computation) const {
    const bool by_zero = program_.may_refuse && (slots_[1].input >= 0 || slots_[1].value == Slot().value);
    return by_zero && !is_floating(computation.loaded[0]);
  }

  size_t lead_slot(int input) const {
    if (slots_.size() < 3)
      for (size_t k = 0; k < slots_.size(); ++k)
        if (slots_[k].input == input) return k;
    return 0;
  }

  static uint8_t add_operand(Sample& s, const Slot& slot, ElementWork& work) {
    const Value& in = s.in(slot.input);
    return work.input(slot.input, held_part(in), view_of(in, s.out(0).tensor, s.out(0).held));
  }
  static void load(Sample& s, const Slot& slot, ElementWork& work) {
    if (slot.input < 0) return work.load_value(slot.dtype, value_at(slot.dtype, slot.value.data()));
    work.load(add_operand(s, slot, work));
  }
  static void apply(Sample& s, const Slot& slot, kernels::Code code, DType type, DType other, bool swapped,
                    ElementWork& work) {
    if (slot.input >= 0) return work.apply(code, type, add_operand(s, slot, work), other, swapped);
    work.apply_value(code, type, slot.dtype, value_at(slot.dtype, slot.value.data()), other, swapped);
  }

  /// Grows `shape` by the rules of NumPy.
  static void broadcast(Shape& shape, const Shape& other) {
    const Shape before = shape;
    while (shape.ndim() < other.ndim()) shape.insert(0, 1);
    for (int i = 1; i <= other.ndim(); ++i) {
      int64_t& extent = shape[shape.ndim() - i];
      const int64_t next = other[other.ndim() - i];
      PENSTOCK_CHECK(extent == next || extent == 1 || next == 1, ArgumentError, "Can't broadcast shapes: {} and {}",
                     to_string(before), to_string(other));
      if (extent == 1) extent = next;
    }
  }

  void join_layouts(Layout& layout, const Layout& other) const {
    const std::string_view a = layout.view(), b = other.view();
    PENSTOCK_CHECK(a.ends_with(b) || b.ends_with(a), ArgumentError,
                   "Layouts of the operands of `{}` do not match. They must be equal or one must be a suffix of the "
                   "other. Got {} and {}",
                   function_->name, a, b);
    if (b.size() > a.size()) layout = other;
  }

  /// The input as the part `wanted` of the output sees it.
  static ElementView view_of(const Value& in, const TensorDesc& out, const Region& wanted) {
    ElementView view = ElementView::broadcast(in.tensor.shape, out.shape);  // axes of one element repeat
    const int missing = out.shape.ndim() - in.tensor.shape.ndim();
    for (int axis = 0; axis < in.tensor.shape.ndim(); ++axis)
      if (in.tensor.shape[axis] != 1)
        view.start[static_cast<size_t>(axis)] = wanted.begin(axis + missing) - in.held.begin(axis);
    return view;
  }
  static Operand located(const Value& in, const TensorDesc& out, const Region& wanted) {
    const TensorDesc part = held_part(in);
    const kernels::Strides dense = kernels::dense_strides(part.shape);
    const ElementView view = view_of(in, out, wanted);
    const int64_t offset = view.offset(dense) * static_cast<int64_t>(size_of(part.dtype));
    return {in.tensor.data + offset, part.dtype, view.strides(dense)};
  }

  const kernels::Function* function_ = nullptr;
  std::vector<Slot> slots_;
};

}  // namespace

[[gnu::cold]] void register_arithmetic(Registry& r) {
  r.add<Arithmetic>("arithmetic")
      .doc("Computes a function of one to three operands element by element, with NumPy's rules of broadcasting.")
      .input("operands", {}, "Operands that are tensors, in the order of the \"&\" in `operands`.")
      .optional()
      .variadic()
      .output("result", "A tensor of the broadcast shape.")
      .arg("op", &ArithmeticArgs::op, "Name of the function: \"add\", \"sqrt\", \"clamp\", ...", kRequired)
      .arg("operands", &ArithmeticArgs::operands,
           "What each operand is: \"&\" for the next input, or the type of a constant. All inputs when not given.")
      .arg("integers", &ArithmeticArgs::integers, "Values of the constants of integer types and bool, in order.")
      .arg("reals", &ArithmeticArgs::reals, "Values of the constants of floating types, in order.")
      .example({{"op", "add"}, {"operands", {"&", "&"}}})
      .hidden();
}

}  // namespace penstock
