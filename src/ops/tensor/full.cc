#include <optional>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "kernels/convert/convert.h"
#include "kernels/strided/strided.h"
#include "ops/axes.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FullArgs {
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::string> layout;
};

TensorDesc described(const FullArgs& args, DType dtype) {
  TensorDesc desc{dtype, {}, {}};
  if (args.shape) desc.shape = Shape(*args.shape);
  for (int64_t extent : desc.shape)
    PENSTOCK_CHECK(extent >= 0, ArgumentError, "the shape {} has a negative extent", to_string(desc.shape));
  if (args.layout) desc.layout = layout_for(*args.layout, desc.shape.ndim());
  return desc;
}

/// Repeats `value` over the output by the rules of broadcasting.
void repeat(const TensorView& value, const TensorView& out) {
  const kernels::Strides from = kernels::dense_strides(value.shape);
  kernels::Strides strides{};
  const int missing = out.shape.ndim() - value.shape.ndim();
  for (int i = 0; i < value.shape.ndim(); ++i)
    if (value.shape[i] > 1) strides[static_cast<size_t>(i + missing)] = from[static_cast<size_t>(i)];
  kernels::strided_copy(out.shape, size_of(out.dtype), value.data, strides, out.data,
                        kernels::dense_strides(out.shape));
}

/// Grows `shape` to what it and `value` give when broadcast together.
void broadcast_onto(Shape& shape, const Shape& value) {
  const Shape asked = shape;
  while (shape.ndim() < value.ndim()) shape.insert(0, 1);
  for (int i = 1; i <= value.ndim(); ++i) {
    int64_t& extent = shape[shape.ndim() - i];
    const int64_t other = value[value.ndim() - i];
    PENSTOCK_CHECK(extent == other || extent == 1 || other == 1, ArgumentError, "Shapes {} and {} can't be broadcast",
                   to_string(asked), to_string(value));
    if (extent == 1) extent = other;
  }
}

class Full final : public SampleOperator<FullArgs>, public ElementForm {
 public:
  void infer(Sample& s) const override {
    const TensorDesc& value = s.in(0).tensor;
    FullArgs args = this->args(s);
    const std::optional<std::string> layout = std::exchange(args.layout, std::nullopt);
    TensorDesc& out = s.out(0).tensor;
    out = described(args, value.dtype);
    broadcast_onto(out.shape, value.shape);
    if (layout)
      out.layout = layout_for(*layout, out.shape.ndim());
    else if (value.layout.ndim() == out.shape.ndim())
      out.layout = value.layout;
  }
  void run(Sample& s) const override { repeat(s.in(0).tensor, s.out(0).tensor); }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc &value = s.in(0).tensor, &out = s.out(0).tensor;
    work.begin(out);
    work.load(work.input(0, value, ElementView::broadcast(value.shape, out.shape)));
  }
};

struct NoArgs {};

class FullLike final : public SampleOperator<NoArgs>, public ElementForm {
 public:
  FullLike() {
    traits_.shape_only = input_bit(0);
    program_.leads = {1};
  }
  void infer(Sample& s) const override {
    const TensorDesc &like = s.in(0).tensor, &value = s.in(1).tensor;
    TensorDesc& out = s.out(0).tensor;
    out = {like.dtype, like.shape, like.layout};
    broadcast_onto(out.shape, value.shape);
    PENSTOCK_CHECK(out.shape == like.shape, ArgumentError, "Shapes {} and {} can't be broadcast", to_string(like.shape),
                   to_string(value.shape));
  }
  void run(Sample& s) const override {
    const TensorView &value = s.in(1).tensor, &out = s.out(0).tensor;
    TensorView converted = value;
    converted.dtype = out.dtype;
    converted.data = s.scratch(converted.nbytes());
    kernels::convert(value.dtype, value.data, out.dtype, converted.data, value.shape.volume());
    repeat(converted, out);
  }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc &value = s.in(1).tensor, &out = s.out(0).tensor;
    work.begin(out);
    work.load(work.input(1, value, ElementView::broadcast(value.shape, out.shape)));
    work.convert(out.dtype);
  }
  bool reads(int input) const override { return input == 1; }
};

void fill_with(const TensorView& out, int number) {
  dispatch_all(out.dtype, [&](auto target) {
    using T = typename decltype(target)::type;
    const T value = convert_sat<T>(number);
    kernels::fill(out.data, reinterpret_cast<const std::byte*>(&value), sizeof(T), out.shape.volume());
  });
}

struct FilledArgs : FullArgs {
  DType dtype = DType::kInt32;
};

/// Operators that fill their output with one number.
template <class A, int number>
class FilledOperator : public SampleOperator<A>, public ElementForm {
 public:
  FilledOperator() { program_.leads = {}; }
  void run(Sample& s) const override { fill_with(s.out(0).tensor, number); }
  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    work.begin(s.out(0).tensor);
    work.load_value(DType::kInt32, value_of_element(number));
    work.convert(s.out(0).tensor.dtype);
  }
  bool reads(int) const override { return false; }
};

template <int number>
class Filled final : public FilledOperator<FilledArgs, number> {
 public:
  void infer(Sample& s) const override { s.out(0).describe(described(this->args(s), this->args(s).dtype)); }
};

struct FilledLikeArgs {
  std::optional<DType> dtype;
};

template <int number>
class FilledLike final : public FilledOperator<FilledLikeArgs, number> {
 public:
  FilledLike() { this->traits_.shape_only = kAllInputs; }
  void infer(Sample& s) const override {
    const TensorDesc& like = s.in(0).tensor;
    s.out(0).describe({this->args(s).dtype.value_or(like.dtype), like.shape, like.layout});
  }
};

template <int number>
void add_filled(Registry& r, const std::string& name, const std::string& value) {
  r.add<Filled<number>>(name)
      .doc("A tensor full of " + value + ".")
      .output("output", "The filled tensor.")
      .arg("shape", &FilledArgs::shape, "Shape of the tensor; a scalar when not given.", kPerSample)
      .arg("dtype", &FilledArgs::dtype, "Type of the tensor.")
      .arg("layout", &FilledArgs::layout, "Layout of the tensor.")
      .example({{"shape", {2, 3}}});
  r.add<FilledLike<number>>(name + "_like")
      .doc("A tensor full of " + value + " with the shape and layout of another.")
      .input("data_like", {}, "Tensor whose shape, layout and, without `dtype`, type are taken.")
      .output("output", "The filled tensor.")
      .arg("dtype", &FilledLikeArgs::dtype, "Type of the tensor; the input's when not given.");
}

}  // namespace

[[gnu::cold]] void register_full(Registry& r) {
  r.add<Full>("full")
      .doc("A tensor filled with a value, repeated by the rules of broadcasting.")
      .input("fill_value", {}, "The value: a scalar, or a tensor that broadcasts to the shape.")
      .holds("number")
      .output("output", "The filled tensor, of the value's type.")
      .arg("shape", &FullArgs::shape, "Shape of the tensor; the value's when not given.", kPerSample)
      .arg("layout", &FullArgs::layout, "Layout of the tensor.")
      .example({{"shape", {2, 3}}});
  r.add<FullLike>("full_like")
      .doc("A tensor of the shape, type and layout of another, filled with a value.")
      .input("data_like", {}, "Tensor whose shape, type and layout are taken.")
      .input("fill_value", {}, "The value: a scalar, or a tensor that broadcasts to the shape.")
      .holds("number")
      .output("output", "The filled tensor.");
}

[[gnu::cold]] void register_zeros(Registry& r) { add_filled<0>(r, "zeros", "zeros"); }
[[gnu::cold]] void register_ones(Registry& r) { add_filled<1>(r, "ones", "ones"); }

}  // namespace penstock
