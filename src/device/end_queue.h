// The ends of what streams do: a thread polls words which the GPU sets, and notifies the waiters.
// CUDA can call back, too, but it does so with its lock held, and other threads' launches wait for that: one in 50 took
// 0.7 to 1.5 ms instead of 0.2.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include <penstock/tensor.h>

#include "device/runtime.h"

namespace penstock::device {

/// A word of pinned memory that is 0 until the GPU sets it. To look at it is no call of CUDA.
struct Mark {
  Buffer memory;
  int32_t* word = nullptr;
  bool set() const { return std::atomic_ref(*word).load(std::memory_order_acquire) != 0; }
};

/// Of one GPU.
class EndQueue {
 public:
  explicit EndQueue(Runtime& runtime);
  /// What is waited for must have been told before.
  ~EndQueue();

  /// null when the mark is set; Lost when it never will be.
  using Done = std::function<void(const std::exception_ptr& lost)>;
  /// Queues the setting of `mark` on the stream and, once that is done, calls `done` on this queue's thread, which must
  /// not be kept long. Where this call throws, `done` is not called, unless the GPU was found to be lost just before.
  void await(Stream stream, Mark mark, Done done);

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Stream stream = nullptr;
    Mark mark;
    Done done;
    std::exception_ptr lost;
  };
  void serve();
  std::vector<Waiting> take_ended();  // needs mutex_
  void ask_for_lost();                // likewise

  Runtime& runtime_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<Waiting> waiting_;
  Clock::time_point news_;   // when the latest began to wait, or ended
  Clock::time_point asked_;  // when the GPU was asked
  bool closing_ = false;
  std::jthread thread_;
};

}  // namespace penstock::device
