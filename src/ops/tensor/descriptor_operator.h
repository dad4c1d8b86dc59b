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
  }
  void run(Sample&) const override {}
};

}  // namespace penstock
