// Base of operators that change a tensor's descriptor and leave its memory where it is.
#pragma once

#include "schema/operator.h"

namespace penstock {

template <class A, class S = Local>
class DescriptorOperator : public SampleOperator<A, S> {
 public:
  int alias_of(int) const override { return 0; }
  bool goes_by_descriptors() const override { return true; }
  void run(Sample&) const override {}
};

}  // namespace penstock
