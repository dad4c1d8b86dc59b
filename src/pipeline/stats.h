// Where the time goes: counters that workers add to, read at leisure.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "core/trace.h"

namespace penstock {

using Clock = Trace::Clock;

inline int64_t nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

struct Stats {
  struct PerNode {
    std::atomic<int64_t> nanoseconds{0}, samples{0};
  };
  explicit Stats(size_t nodes) : per_node(nodes) {}

  std::vector<PerNode> per_node;
  std::atomic<int64_t> batches{0}, samples{0}, failures{0};
  std::atomic<int64_t> consumer_waited{0};       ///< nanoseconds inside wait() before a batch was done
  std::atomic<int64_t> gpu_awaited{0};           ///< nanoseconds from a batch's last launch to its end, where awaited
  std::atomic<int64_t> hints{0}, slow_hints{0};  ///< samples read ahead, and those that were not in memory yet
  Trace trace;
};

}  // namespace penstock
