// The end of what the GPU does for a batch: whoever sees it first goes on with the batch. The driver's callback comes
// on a thread of its own, which then has to wake a worker, and that one the consumer: 0.2 to 0.4 ms on a virtual
// machine. A consumer who waits anyhow and looks sees the end at once.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include <penstock/tensor.h>

#include "pipeline/stats.h"

namespace penstock {

class GpuEnd {
 public:
  using GoOn = std::function<void(const std::exception_ptr& lost)>;
  explicit GpuEnd(GoOn go_on) : go_on_(std::move(go_on)) {}
  /// True for who asks first, and has to go_on().
  bool claim() { return !claimed_.exchange(true); }
  void go_on(const std::exception_ptr& lost) const { go_on_(lost); }

 private:
  std::atomic<bool> claimed_{false};
  const GoOn go_on_;
};

/// What a consumer needs to look for the end. The callback has no block: letting go of one is a call of CUDA.
struct GpuWatch {
  std::shared_ptr<GpuEnd> end;
  Buffer last;              ///< written by the last of the work
  Clock::time_point until;  ///< later it is better to sleep: waking costs less than looking
};

}  // namespace penstock
