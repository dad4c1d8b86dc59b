// Base of operators that make the matrix of an affine map, and apply it behind or before a given one.
#pragma once

#include <vector>

#include "core/check.h"
#include "ops/transforms/affine.h"
#include "schema/registry.h"

namespace penstock {

struct TransformArgs {
  bool reverse_order = false;
};

template <class A>
class TransformOperator : public SampleOperator<A> {
 public:
  TransformOperator() { this->traits_.frame_values_from = 0; }
  void infer(Sample& s) const override {
    int64_t ndim = this->axes(s);
    if (s.num_inputs() > 0) {
      const Shape& given = s.in(0).tensor.shape;
      if (ndim == 0 && given.ndim() == 2) ndim = given[0];
      PENSTOCK_CHECK(given == Shape({ndim, ndim + 1}), ArgumentError,
                     "The input describes a transform of shape {}; this one has {} axes, so it must be {} x {}",
                     to_string(given), ndim, ndim, ndim + 1);
    }
    if (ndim == 0) ndim = this->fallback_axes();
    PENSTOCK_CHECK(ndim >= 1 && ndim <= kMaxAffineAxes, ArgumentError, "a transform has 1 to {} axes, got {}",
                   kMaxAffineAxes, ndim);
    s.out(0).describe({DType::kFloat, Shape{ndim, ndim + 1}, Layout("**")});
  }

  void run(Sample& s) const override {
    Affine map = this->matrix(s, static_cast<int>(s.out(0).tensor.shape[0]));
    if (s.num_inputs() > 0) {
      const Affine given = affine_from(s.in(0).tensor);
      map = this->args(s).reverse_order ? chained(map, given) : chained(given, map);
    }
    store(map, s.out(0).tensor.template as<float>());
  }

 protected:
  /// As many axes as the arguments tell; 0: those of the input.
  virtual int axes(const Sample& s) const = 0;
  /// Of a map for which neither arguments nor an input tell.
  virtual int fallback_axes() const { return 0; }
  virtual Affine matrix(const Sample& s, int ndim) const = 0;

  /// One value per axis; a single one stands for all.
  static float at(const std::vector<float>& values, int axis) {
    return values[values.size() == 1 ? 0 : static_cast<size_t>(axis)];
  }
  static void check_count(const char* name, const std::vector<float>& values, int ndim, bool one_for_all = false) {
    const auto count = static_cast<int>(values.size());
    PENSTOCK_CHECK(count == ndim || (one_for_all && count == 1), ArgumentError,
                   "`{}` needs one value for each of {} axes, got {}", name, ndim, count);
  }
};

/// Describes what all of them have in common.
template <class Op>
OpBuilder<Op> add_transform(Registry& r, std::string name, const char* doc) {
  OpBuilder<Op> op = r.add<Op>(std::move(name));
  op.doc(doc)
      .input("matrix", {}, "A transform to combine with: FLOAT, n rows of n + 1 numbers.")
      .holds("matrix")
      .optional()
      .output("matrix", "FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.")
      .arg("reverse_order", &TransformArgs::reverse_order,
           "Whether the transform is applied before that of the input, instead of after it.")
      .devices({"cpu"})
      .host_only("a few numbers a sample, which the host knows before the GPU begins");
  return op;
}

}  // namespace penstock
