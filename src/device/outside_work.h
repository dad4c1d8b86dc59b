// Work for a batch that neither workers nor streams do. The batch starts when all of it is done.
#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace penstock::device {

class OutsideWork {
 public:
  /// One more thing is under way, to the end of which everything that it uses must live.
  void begin() { under_way_.fetch_add(1, std::memory_order_relaxed); }
  /// One of them is done. From any thread.
  void end() {
    if (under_way_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    // The batch, and this with it, may be gone before the function returns.
    const std::function<void()> then = std::move(then_);
    then();
  }
  /// True where nothing is under way. Otherwise calls `fn` once nothing is any more, on the thread that ended the last
  /// thing. To be asked once, when no more will begin.
  bool done_or(std::function<void()> fn) {
    if (under_way_.load(std::memory_order_acquire) == 1) return true;
    then_ = std::move(fn);
    end();
    return false;
  }

 private:
  std::atomic<int> under_way_{1};  // one of them is the making of the batch
  std::function<void()> then_;
};

}  // namespace penstock::device
