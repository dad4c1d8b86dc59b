// Launches each of which fills a GPU, one after the other.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

#include "cuda/check.h"

namespace penstock::cuda {

/// Of one GPU. Two such launches at a time take no less time, but end together: then batches come in pairs.
class Turns {
 public:
  Turns() = default;
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;
  ~Turns() {
    if (ended_) cudaEventDestroy(ended_);
  }

  /// What `start()` queues on `stream` begins when that of the call before is done. The GPU must be the calling
  /// thread's own.
  template <class Start>
  void take(cudaStream_t stream, Start&& start) {
    const std::lock_guard lock(mutex_);
    if (!ended_) check(cudaEventCreateWithFlags(&ended_, cudaEventDisableTiming), "cudaEventCreate");
    check(cudaStreamWaitEvent(stream, ended_, 0), "cudaStreamWaitEvent");
    start();
    check(cudaEventRecord(ended_, stream), "cudaEventRecord");
  }

 private:
  std::mutex mutex_;
  cudaEvent_t ended_ = nullptr;
};

}  // namespace penstock::cuda
