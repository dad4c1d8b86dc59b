// Groups of records that are loaded as a whole, kept while there is room.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace penstock {

/// A thread that needs a group which another thread loads waits for it. The least recently used groups go first.
template <class T>
class GroupCache {
 public:
  using Loaded = std::shared_ptr<const T>;

  /// @param budget bytes to keep; groups that callers hold stay beyond that
  explicit GroupCache(size_t budget) : budget_(static_cast<int64_t>(budget)) {}

  /// Group `which`, of so many bytes, which `load()` makes where it is not there. @throws what `load` throws
  template <class Load>
  Loaded get(size_t which, int64_t bytes, Load&& load) {
    std::promise<Loaded> promise;
    {
      std::unique_lock lock(mutex_);
      const auto found = entries_.find(which);
      if (found != entries_.end()) {
        found->second.asked = ++clock_;
        if (found->second.loaded) return found->second.loaded;
        const std::shared_future<Loaded> coming = found->second.coming;
        lock.unlock();
        return coming.get();
      }
      entries_[which] = {promise.get_future().share(), nullptr, bytes, ++clock_};
    }
    try {
      Loaded group = load();
      promise.set_value(group);
      const std::lock_guard lock(mutex_);
      entries_[which].loaded = group;
      held_ += bytes;
      make_room();
      return group;
    } catch (...) {
      promise.set_exception(std::current_exception());
      const std::lock_guard lock(mutex_);
      entries_.erase(which);  // the next one tries again
      throw;
    }
  }

 private:
  struct Entry {
    std::shared_future<Loaded> coming;
    Loaded loaded;
    int64_t bytes = 0;
    uint64_t asked = 0;
  };

  void make_room() {
    while (held_ > budget_) {
      auto oldest = entries_.end();
      for (auto it = entries_.begin(); it != entries_.end(); ++it)
        if (it->second.loaded && (oldest == entries_.end() || it->second.asked < oldest->second.asked)) oldest = it;
      if (oldest == entries_.end()) return;
      held_ -= oldest->second.bytes;
      entries_.erase(oldest);
    }
  }

  std::mutex mutex_;
  std::unordered_map<size_t, Entry> entries_;
  int64_t held_ = 0, budget_;
  uint64_t clock_ = 0;
};

}  // namespace penstock
