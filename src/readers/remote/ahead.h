// What was asked for ahead of its use: bounded, and each thing asked for once.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace penstock::remote {

/// Bytes that all `Ahead`s which share it may hold together.
class Budget {
 public:
  explicit Budget(int64_t limit) : left_(limit) {}
  bool take(int64_t bytes) {
    if (left_.fetch_sub(bytes) >= bytes) return true;
    give_back(bytes);
    return false;
  }
  void give_back(int64_t bytes) { left_ += bytes; }

 private:
  std::atomic<int64_t> left_;
};

/// Values by name, made by one thread for a later use by another. Each is taken once.
template <class T>
class Ahead {
 public:
  explicit Ahead(Budget& budget) : budget_(budget) {}
  ~Ahead() {
    for (const auto& [name, entry] : entries_) budget_.give_back(entry->bytes);
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  /// Has `make()` make the value `name` of about `bytes`, unless there is one, or no room. Waits for it,
  /// also where another thread makes it. An error of `make` leaves no value: the thread that would have taken the value
  /// meets the error when it asks for itself.
  template <class Make>
  void prepare(const std::string& name, int64_t bytes, Make&& make) {
    std::shared_ptr<Entry> entry;
    {
      std::unique_lock lock(mutex_);
      if (const auto found = entries_.find(name); found != entries_.end()) {
        entry = found->second;
        return made_.wait(lock, [&] { return entry->ready; });
      }
      if (!budget_.take(bytes)) {
        drop_forgotten();
        if (!budget_.take(bytes)) return;
      }
      entry = entries_[name] = std::make_shared<Entry>(bytes);
    }
    std::shared_ptr<const T> value;
    try {
      value = make();
    } catch (...) {  // see above
    }
    const std::lock_guard lock(mutex_);
    entry->value = std::move(value);
    entry->ready = true;
    entry->since = Clock::now();
    made_.notify_all();
  }

  /// The value, which is then no longer here; waits while it is made. Null where there is none.
  std::shared_ptr<const T> take(const std::string& name) {
    std::unique_lock lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) return nullptr;
    const std::shared_ptr<Entry> entry = found->second;
    made_.wait(lock, [&] { return entry->ready; });
    if (const auto still = entries_.find(name); still != entries_.end() && still->second == entry) remove(still);
    return entry->value;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kForgotten{60};  // what is not taken by then was asked for in vain

  struct Entry {
    explicit Entry(int64_t size) : bytes(size) {}
    int64_t bytes;
    bool ready = false;
    std::shared_ptr<const T> value;
    Clock::time_point since;
  };
  using Entries = std::map<std::string, std::shared_ptr<Entry>>;

  typename Entries::iterator remove(typename Entries::iterator at) {
    budget_.give_back(at->second->bytes);
    return entries_.erase(at);
  }
  void drop_forgotten() {
    const auto now = Clock::now();
    for (auto at = entries_.begin(); at != entries_.end();)
      at = at->second->ready && now - at->second->since > kForgotten ? remove(at) : std::next(at);
  }

  Budget& budget_;
  std::mutex mutex_;
  std::condition_variable made_;
  Entries entries_;
};

}  // namespace penstock::remote
