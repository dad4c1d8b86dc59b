// Work that the thread which takes a batch does itself, between two steps of the plan.
#pragma once

#include <cstdint>

namespace penstock {

/// An operator whose batches wait, in order, until the thread that takes them has made its outputs. What does the work
/// may then launch collectives: they come in the order of the calls that take batches, which is the same in every
/// process, whatever is prefetched.
class RunsOnConsumer {
 public:
  virtual ~RunsOnConsumer() = default;
  /// By which the one who takes the batch knows what to do.
  virtual int64_t number() const = 0;
};

}  // namespace penstock
