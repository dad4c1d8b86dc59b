// A value that is made at its first use, by whichever thread comes first. Where making it throws, the next one tries
// again: with std::call_once that hangs under ThreadSanitizer, and in some C libraries.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "core/brief_lock.h"

namespace penstock {

template <class T>
class Lazy {
 public:
  /// The value; `make()` gives it if it is not there yet.
  template <class Make>
  const T& get(Make&& make) const {
    if (const T* ready = ready_.load(std::memory_order_acquire)) return *ready;
    // As a rule a batch's workers come at once, and the first makes a block of memory for all.
    const auto lock = lock_brief(mutex_);
    if (!value_) ready_.store(&value_.emplace(std::forward<Make>(make)()), std::memory_order_release);
    return *value_;
  }
  /// The value if it is there; else null.
  const T* peek() const { return ready_.load(std::memory_order_acquire); }

 private:
  mutable std::mutex mutex_;
  mutable std::optional<T> value_;
  mutable std::atomic<const T*> ready_ = nullptr;
};

}  // namespace penstock
