// Base of operators each of whose results is made from the element at the same place of the input.
#pragma once

#include "core/dispatch.h"
#include "kernels/strided/strided.h"
#include "ops/elements/element_form.h"
#include "ops/region.h"
#include "schema/registry.h"

namespace penstock {

/// Calls fn(in_part, in_whole, count) for each run of neighbours among the elements of `region`: their numbers in the
/// region and in the whole tensor.
template <class Fn>
void for_each_run(const TensorDesc& whole, const Region& region, Fn&& fn) {
  const Shape part = cut(whole, region).shape;
  const int64_t total = part.volume();
  if (total == 0) return;
  if (part == whole.shape) return fn(int64_t{0}, int64_t{0}, total);
  const kernels::Strides strides = kernels::dense_strides(whole.shape);
  int64_t first = 0;
  for (int axis = 0; axis < part.ndim(); ++axis) first += region.begin(axis) * strides[static_cast<size_t>(axis)];
  int outermost = part.ndim() - 1;  // of the axes that a run goes along
  int64_t run = part[outermost];
  while (outermost > 0 && part[outermost] == whole.shape[outermost]) run *= part[--outermost];
  for (int64_t at = 0; at < total; at += run) {
    int64_t left = at / run, in_whole = first;
    for (int axis = outermost - 1; axis >= 0; --axis) {
      in_whole += left % part[axis] * strides[static_cast<size_t>(axis)];
      left /= part[axis];
    }
    fn(at, in_whole, run);
  }
}

/// The numbers that the elements of what output 0 holds have in the whole tensor, as an operand of a program.
/// @param repeated an axis along which numbers repeat, as if it had one element; -1: none
uint8_t numbers_of(const Value& out, int repeated, ElementWork& work);

/// Keeps shape and layout; the type may change. What is wanted of the output is needed of the input.
template <class A, class S = Local>
class ElementwiseOperator : public SampleOperator<A, S>, public ElementForm {
 public:
  ElementwiseOperator() {
    this->traits_.makes_regions = this->traits_.goes_by_descriptors = true;
    this->traits_.region_axes = kAnyAxis;
    program_.operands = 2;
    program_.instructions = 4;
  }
  void infer(Sample& s) const override {
    TensorDesc desc = s.in(0).tensor;
    desc.dtype = made_type(s);
    s.out(0).describe(desc);
  }
  void need(Sample& s) const final { s.need(0, s.wanted(0)); }
  void compile(Sample& s, device::Staging& staging, ElementWork& work, const ElementAsk&) const final {
    work.begin(held_part(s.out(0)));
    work.load(work.input(0, held_part(s.in(0)), view_in_place(s.in(0), s.out(0))));
    change(s, staging, work);
    work.convert(s.out(0).tensor.dtype);
  }
  bool reads(int) const final { return true; }

 protected:
  virtual DType made_type(const Sample& s) const { return s.in(0).tensor.dtype; }
  /// Adds to the program what makes the loaded element the result, before it is converted to the result's type: two
  /// steps and one operand at most.
  virtual void change(Sample& s, device::Staging& staging, ElementWork& work) const = 0;
};

}  // namespace penstock
