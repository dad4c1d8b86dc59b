// Operators whose output is one of their inputs.
#pragma once

#include "schema/sample.h"

namespace penstock {

/// What an operator also is whose output is one of its inputs, another one for each sample; see Traits::selects. The
/// executor hands that input's memory on, or has the input written into the output's; run() is called where neither can
/// be done.
class Selects {
 public:
  virtual ~Selects() = default;
  /// The input, once infer has been called.
  virtual int selected(const Sample& s) const = 0;
};

}  // namespace penstock
