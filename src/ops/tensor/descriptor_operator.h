// Base of operators that change a tensor's descriptor and leave its memory where it is.
#pragma once

#include "schema/operator.h"

namespace penstock {

template <class A, class S = Local>
class DescriptorOperator : public SampleOperator<A, S> {
 public:
  DescriptorOperator() {
    this->traits_.alias_of = 0;
    this->traits_.goes_by_descriptors = true;
    this->traits_.makes_regions = true;
    this->traits_.region_axes = kAnyAxis;
  }
  /// Where only names change, what is wanted of the tensor is needed of the input; else all of it.
  void need(Sample& s) const override {
    if (s.out(0).tensor.shape == s.in(0).tensor.shape) s.need(0, s.wanted(0));
  }
  void run(Sample&) const override {}
};

}  // namespace penstock
