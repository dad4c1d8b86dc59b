// Locks that threads hold for less than a microsecond. A thread that finds a std::mutex taken sleeps until the holder
// wakes it (50 to 100 us on a virtual machine): of several workers that came for samples at a time, all but one slept.
#pragma once

#include <mutex>
#include <thread>

namespace penstock {

/// Looks for the mutex to be free for a while before it sleeps.
inline void lock_brief(std::unique_lock<std::mutex>& lock) {
  constexpr int kLooks = 30;  // some microseconds
  for (int i = 0; i < kLooks; ++i) {
    if (lock.try_lock()) return;
    std::this_thread::yield();
  }
  lock.lock();
}

[[nodiscard]] inline std::unique_lock<std::mutex> lock_brief(std::mutex& mutex) {
  std::unique_lock lock(mutex, std::defer_lock);
  lock_brief(lock);
  return lock;
}

}  // namespace penstock
