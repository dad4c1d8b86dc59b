// Work that takes all of something that a GPU has, one piece after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

#include "cuda/runtime/check.h"

namespace penstock::cuda {

/// Of one GPU. Two launches at a time that each fill it take no less time, but end together: then batches come in
/// pairs. And where a launch and what is queued behind the one before become ready at once, either may take the other's
/// room: then batches come unevenly. So each launch says when the next may begin. Likewise copies from the host,
/// which the GPU does for all streams at a time: where four GPUs share the host's memory, a batch waited for its own
/// until those of three later ones were done.
class Turns {
 public:
  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() {
    if (passed_) cudaEventDestroy(passed_);
  }

  /// What `start(passed)` queues on `stream` begins when the turn before has passed: start() has that event recorded
  /// when the next one may begin. The GPU must be the calling thread's own.
  template <class Start>
  void take(cudaStream_t stream, Start&& start) {
    const std::lock_guard lock(mutex_);
    if (!passed_) check(cudaEventCreateWithFlags(&passed_, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaStreamWaitEvent(stream, passed_, 0), "cudaStreamWaitEvent");
    start(passed_);
  }

 private:
  std::mutex mutex_;
  cudaEvent_t passed_ = nullptr;
};

}  // namespace penstock::cuda
