#include "core/brief_lock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <mutex>
#include <thread>
#include <vector>

namespace penstock {
namespace {

TEST(BriefLock, WaitsForWhoKeepsItLongerThanItLooks) {
  std::mutex mutex;
  std::latch held(1);
  bool let_go = false;
  std::thread holder([&] {
    const std::lock_guard lock(mutex);
    held.count_down();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    let_go = true;
  });
  held.wait();
  {
    const auto lock = lock_brief(mutex);
    EXPECT_TRUE(lock.owns_lock());
    EXPECT_TRUE(let_go);
  }
  holder.join();
}

TEST(BriefLock, IsHeldByOneAtATime) {
  std::mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      auto lock = lock_brief(mutex);
      for (int i = 0; i < 1000; ++i) {
        ++count;
        lock.unlock();
        lock_brief(lock);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 8000);
}

}  // namespace
}  // namespace penstock
