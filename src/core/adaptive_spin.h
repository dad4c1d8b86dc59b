// Whether a thread that waits should look for a while before it sleeps. A sleeper takes 5 us to wake, on a virtual
// machine 50 to 100, and wakes of ten others cost as much again: too much where what comes next takes hardly longer.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace penstock {

/// For threads that wait for one thing: the last wait predicts how long the next will be.
class AdaptiveSpin {
 public:
  using Clock = std::chrono::steady_clock;

  /// @param most how long to spin; a thread that waited longer than that the last time sleeps at once
  /// @param cores of this process: where they are few, the threads that do the work need them, and this one never spins
  AdaptiveSpin(Clock::duration most, int cores) : most_(cores >= kManyCores ? most : Clock::duration(-1)) {}

  /// Looks until `seen()` is true, where that may be soon. To be followed by waiting, and by ended().
  template <class Seen>
  void look(Clock::time_point began, Seen&& seen) const {
    if (last_.load(std::memory_order_relaxed) > most_) return;
    while (!seen() && Clock::now() - began < most_) std::this_thread::yield();
  }
  /// The wait that began then is over.
  void ended(Clock::time_point began) { last_.store(Clock::now() - began, std::memory_order_relaxed); }

 private:
  static constexpr int kManyCores = 4;
  const Clock::duration most_;
  std::atomic<Clock::duration> last_{Clock::duration(0)};
};

}  // namespace penstock
