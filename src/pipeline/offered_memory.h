// Memory that the consumer offers for outputs of batches to come.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <penstock/tensor.h>

namespace penstock {

class OfferedMemory {
 public:
  /// What was offered first for an output stays.
  void offer(int64_t iteration, size_t output, Buffer memory) {
    std::lock_guard lock(mutex_);
    std::vector<Buffer>& all = offered_[iteration];
    if (all.size() <= output) all.resize(output + 1);
    if (!all[output].data) all[output] = std::move(memory);
  }
  /// What was offered for outputs of that batch, in their order; some may have none, as those behind the last.
  std::vector<Buffer> take(int64_t iteration) {
    std::lock_guard lock(mutex_);
    auto found = offered_.extract(iteration);
    return found ? std::move(found.mapped()) : std::vector<Buffer>();
  }
  /// Lets go of what was offered for that batch and for earlier ones.
  void drop_to(int64_t iteration) {
    std::vector<std::vector<Buffer>> dropped;  // without the lock: its owner may wait for one of his own
    std::lock_guard lock(mutex_);
    while (!offered_.empty() && offered_.begin()->first <= iteration)
      dropped.push_back(std::move(offered_.extract(offered_.begin()).mapped()));
  }
  void drop_all() { drop_to(std::numeric_limits<int64_t>::max()); }

 private:
  std::mutex mutex_;
  std::map<int64_t, std::vector<Buffer>> offered_;  // by iteration
};

}  // namespace penstock
