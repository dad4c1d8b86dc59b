// A pool of memory for batches has no more. That is the fault of no sample, so it ends a batch, whatever `on_error`
// says about samples.
#pragma once

#include <penstock/error.h>

namespace penstock {

class PoolExhausted : public OutOfMemory {
  using OutOfMemory::OutOfMemory;
};

}  // namespace penstock
