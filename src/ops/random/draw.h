// Base of operators that draw random numbers: shape and type of the output, and the loop over its elements.
#pragma once

#include <optional>
#include <vector>

#include "core/check.h"
#include "core/convert.h"
#include "core/dispatch.h"
#include "core/wide_random.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {

struct DrawArgs {
  std::optional<std::vector<int64_t>> shape;
  std::optional<DType> dtype;
};

/// The shape that was asked for by `shape` or by an input of that shape; a scalar without either.
inline Shape drawn_shape(const std::optional<std::vector<int64_t>>& shape, const Sample& s, int like) {
  if (!shape) return s.num_inputs() > like ? s.in(like).tensor.shape : Shape{};
  for (int64_t extent : *shape)
    PENSTOCK_CHECK(extent >= 0, ArgumentError, "`shape` must not be negative, got [{}]", fmt::join(*shape, ", "));
  return Shape(*shape);
}

/// `like` is the position of the input whose shape is taken.
inline void check_one_shape(const OpSpec& spec, int like) {
  PENSTOCK_CHECK(spec.num_inputs <= like || !spec.given("shape"), ArgumentError,
                 "`shape` and an input to take the shape of are mutually exclusive; give one of them");
}

/// Operators each of whose numbers takes as many draws as every other, so that a GPU makes them in any order.
class DrawForm : public ElementForm {
 public:
  DrawForm() { program_ = {.leads = {}, .instructions = 3}; }
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const final {
    kernels::DrawTable filled = draw_table(s, staging);
    filled.epoch = s.id().epoch;
    filled.sample = s.id().sample;
    const bool widens = filled.kind == kernels::Draw::kUniform || filled.kind == kernels::Draw::kNormal;
    filled.wide = widens && s.out(0).tensor.dtype == DType::kFloat64;
    const kernels::DrawTable& table = filled;
    work.begin(s.out(0).tensor);
    work.load(work.number(work.shape(), ElementView::broadcast(work.shape(), work.shape())));
    work.add({.step = kernels::Step::kDraw, .immediate = {ElementWork::address(staging.put(std::span(&table, 1)))}},
             filled.wide ? DType::kFloat64 : DType::kFloat);
    work.convert(s.out(0).tensor.dtype);
  }
  bool reads(int) const final { return false; }

 protected:
  /// All but the sample. @throws ArgumentError for arguments out of range
  virtual kernels::DrawTable draw_table(Sample& s, device::Staging& staging) const = 0;
};

template <class A>
class DrawOperator : public SampleOperator<A> {
 public:
  explicit DrawOperator(DType natural) : natural_(natural) { this->traits_.shape_only = kAllInputs; }
  void setup() override { check_one_shape(this->spec(), 0); }
  void infer(Sample& s) const override {
    TensorDesc& out = s.out(0).tensor;
    out.dtype = this->args(s).dtype.value_or(natural_);
    PENSTOCK_CHECK(size_of(out.dtype) > 0, TypeError, "`dtype` is not an element type");
    out.shape = drawn_shape(this->args(s).shape, s, 0);
    out.layout = {};
  }

 protected:
  /// Fills the output with what `next(random)` gives, converted. For doubles `random` is a WideRandom.
  template <class Fn>
  static void fill_from(Sample& s, Fn&& next) {
    const TensorView& out = s.out(0).tensor;
    dispatch_all(out.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      std::conditional_t<std::is_same_v<T, double>, WideRandom, Random> random(s.random());
      T* dst = out.as<T>();
      for (int64_t i = 0, n = out.shape.volume(); i < n; ++i) dst[i] = convert_sat<T>(next(random));
    });
  }

 private:
  DType natural_;
};

/// Describes what all of them have in common.
template <class Op>
OpBuilder<Op> add_draw(Registry& r, std::string name, std::string older_name, const char* doc, const char* type_doc) {
  OpBuilder<Op> op = r.add<Op>(std::move(name));
  if (!older_name.empty()) op.alias(std::move(older_name));
  op.doc(doc)
      .input("shape_like", {}, "Tensor whose shape the output takes. Excludes `shape`.")
      .optional()
      .output("numbers", "A scalar, or a tensor of the given shape.")
      .arg("shape", &Op::Args::shape, "Shape of the output.", kPerSample)
      .arg("dtype", &Op::Args::dtype, type_doc)
      .random();
  return op;
}

}  // namespace penstock
