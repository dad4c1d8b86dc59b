// How many workers are at work: limits, and cores that are left to others.
#include "core/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <functional>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "core/run_job.h"

namespace penstock {
namespace {

TEST(WorkerPool, KeepsToTheSizeOfACrewWhateverItsJobs) {
  WorkerPool pool(6);
  const auto limit = std::make_shared<ConcurrencyLimit>(2);
  std::atomic<int> at_once{0}, most{0}, others{0};
  std::latch done(3);
  const auto submit = [&](std::shared_ptr<ConcurrencyLimit> whose, std::function<void()> item) {
    auto job = std::make_shared<Job>();
    job->count = 20;
    job->limit = std::move(whose);
    job->run = [item = std::move(item)](int, int) { item(); };
    job->done = [&] { done.count_down(); };
    pool.submit(job);
  };
  for (int i = 0; i < 2; ++i)
    submit(limit, [&] {
      const int now = ++at_once;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --at_once;
    });
  submit(nullptr, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // all 20 would be over before the limit has begun
    others += at_once == 2;
  });
  done.wait();
  EXPECT_EQ(most, 2);
  EXPECT_GT(others, 0);  // who is of no limit is not kept waiting by a full one
}

TEST(WorkerPool, ACrewIsWholeAgainWhoeverIsBusyWithWhatTheyEnded) {
  WorkerPool pool(4);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto limit = std::make_shared<ConcurrencyLimit>(2);
    std::latch begun(2), submitted(1), met(2), released(1), ended(3);
    const auto submit = [&](int count, std::function<void()> item, std::function<void()> done) {
      auto job = std::make_shared<Job>();
      job->count = count;
      job->limit = limit;
      job->run = [item = std::move(item)](int, int) { item(); };
      job->done = std::move(done);
      pool.submit(job);
    };
    const auto first = [&] { begun.count_down(), submitted.wait(); };
    const auto busy = [&] { released.wait(), ended.count_down(); };
    submit(1, first, busy);
    submit(1, first, busy);
    begun.wait();
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // the other two fall asleep
    std::atomic<int> items = 0;
    submit(
        2, [&] { ++items, met.arrive_and_wait(); }, [&] { ended.count_down(); });
    submitted.count_down();
    for (int i = 0; i < 5000 && !met.try_wait(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(items, 2) << "of a limit of two only one is at work";
    released.count_down();
    ended.wait();
    if (HasFailure()) return;
  }
}

TEST(WorkerPool, LeavesCoresToOthersUntilTheyAreGivenBack) {
  WorkerPool pool(3);
  std::optional<std::shared_ptr<void>> left = pool.leave_cores(1);
  const std::shared_ptr<void> fewer = pool.leave_cores(0);
  std::latch two(2), let_go(1);
  std::promise<void> long_done, short_done;
  const auto busy = std::make_shared<Job>();
  busy->count = 2;
  busy->run = [&](int, int) {
    two.count_down();
    let_go.wait();
  };
  busy->done = [&] { long_done.set_value(); };
  pool.submit(busy);
  two.wait();
  std::atomic<bool> begun = false;
  const auto waiting = std::make_shared<Job>();
  waiting->count = 1;
  waiting->run = [&](int, int) { begun = true; };
  waiting->done = [&] { short_done.set_value(); };
  pool.submit(waiting);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(begun);
  left.reset();
  short_done.get_future().wait();  // by the third, which slept
  let_go.count_down();
  long_done.get_future().wait();
}

TEST(WorkerPool, WhoeverAsksForCoresAndGivesThemBackAllWorkIsDone) {
  WorkerPool pool(4);
  constexpr int kJobs = 2000;
  std::latch ended(kJobs);
  std::atomic<bool> over = false;
  std::thread asks([&] {
    while (!over) {
      const std::shared_ptr<void> left = pool.leave_cores(3), more = pool.leave_cores(2);
      std::this_thread::yield();
    }
  });
  for (int i = 0; i < kJobs; ++i) {
    auto job = std::make_shared<Job>();
    job->count = 3;
    job->run = [](int, int) {};
    job->done = [&] { ended.count_down(); };
    pool.submit(std::move(job));
    if (i % 8 == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));  // workers fall asleep
  }
  ended.wait();
  over = true;
  asks.join();
}

TEST(WorkerPool, WhatAWorkerWasWokenForIsDoneThoughItIsToRest) {
  WorkerPool pool(2);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::latch both(2);  // so that either may fall asleep last, and be woken
    auto together = std::make_shared<Job>();
    together->count = 2;
    together->run = [&](int, int) { both.arrive_and_wait(); };
    run(pool, together);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::promise<void> done;
    auto job = std::make_shared<Job>();
    job->count = 1;
    job->run = [](int, int) {};
    job->done = [&] { done.set_value(); };
    pool.submit(std::move(job));
    const std::shared_ptr<void> left = pool.leave_cores(1);
    if (done.get_future().wait_for(std::chrono::seconds(5)) == std::future_status::ready) continue;
    FAIL() << "nobody does it";
  }
}

TEST(WorkerPool, WhoIsWokenWakesOthersAsLongAsThereIsWork) {
  constexpr int kWorkers = 9;
  WorkerPool pool(kWorkers);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all fall asleep
  std::latch met(kWorkers), let_go(1), ended(1);
  const auto job = std::make_shared<Job>();
  job->count = kWorkers;
  job->run = [&](int, int) { met.count_down(), let_go.wait(); };
  job->done = [&] { ended.count_down(); };
  pool.submit(job);
  for (int i = 0; i < 5000 && !met.try_wait(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(met.try_wait()) << "some still sleep";
  let_go.count_down();
  ended.wait();
}

TEST(WorkerPool, WakesWhoFellAsleepLast) {
  WorkerPool pool(6);
  std::set<std::thread::id> workers;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // all are asleep
    auto job = std::make_shared<Job>();
    job->count = 1;
    job->run = [&](int, int) { workers.insert(std::this_thread::get_id()); };
    run(pool, job);
  }
  EXPECT_LE(workers.size(), 3U);  // one, where the system wakes them in time
}

/// Of `items` of one millisecond each.
std::shared_ptr<Job> slow_job(int items, int workers, std::function<void()> item) {
  auto job = std::make_shared<Job>();
  job->count = items;
  job->workers = workers;
  job->run = [item = std::move(item)](int, int) {
    item();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  return job;
}

/// All have been at work, and sleep.
void put_to_sleep(WorkerPool& pool) {
  std::latch met(pool.threads());
  run(pool, slow_job(pool.threads(), INT_MAX, [&] { met.arrive_and_wait(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

/// Whether so many came to be at work at the same time, who waited for each other for some seconds.
class Meeting {
 public:
  explicit Meeting(int count) : missing_(count) {}
  void come() {
    --missing_;
    for (int i = 0; i < 3000 && missing_ > 0 && !failed_; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (missing_ > 0) failed_ = true;
  }
  bool complete() const { return missing_ <= 0 && !failed_; }

 private:
  std::atomic<int> missing_;
  std::atomic<bool> failed_ = false;
};

TEST(WorkerPool, WakesNoMoreThanTheJobIsWorth) {
  WorkerPool pool(6);
  for (const bool of_limit : {false, true}) {
    put_to_sleep(pool);
    std::mutex mutex;
    std::set<std::thread::id> seen;
    const auto job = slow_job(20, 2, [&] {
      const std::lock_guard lock(mutex);
      seen.insert(std::this_thread::get_id());
    });
    if (of_limit) job->limit = std::make_shared<ConcurrencyLimit>(6);
    run(pool, job);
    EXPECT_LE(seen.size(), 2U) << of_limit;
  }
}

TEST(WorkerPool, WhoIsAwakeTakesPartInWhatIsNotWorthWakingHim) {
  WorkerPool pool(3);
  std::latch begun(3), submitted(1), ended(2);
  Meeting three(3);
  const auto done = [&] { ended.count_down(); };
  const auto first = slow_job(3, INT_MAX, [&] { begun.count_down(), submitted.wait(); });
  const auto second = slow_job(3, 1, [&] { three.come(); });
  first->done = second->done = done;
  pool.submit(first);
  begun.wait();
  pool.submit(second);
  submitted.count_down();
  ended.wait();
  EXPECT_TRUE(three.complete());
}

TEST(WorkerPool, OlderJobsDoNotKeepWhoWasWokenForAnother) {
  WorkerPool pool(4);
  put_to_sleep(pool);
  std::atomic<bool> begun = false, late = false;
  std::latch ended(2);
  const auto older = slow_job(3, 1, [&] {
    for (int i = 0; i < 2000 && !begun; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (!begun) late = true;
  });
  const auto newer = slow_job(1, 1, [&] { begun = true; });
  older->done = newer->done = [&] { ended.count_down(); };
  pool.submit(older);
  pool.submit(newer);
  ended.wait();
  EXPECT_FALSE(late);
}

TEST(WorkerPool, AWorkerStaysWithTheJobHeWasWokenFor) {
  WorkerPool pool(2);
  put_to_sleep(pool);
  std::atomic<int> done = 0, done_before = 0;
  std::latch ended(2);
  const auto older = slow_job(50, 1, [&] { ++done; });
  const auto newer = slow_job(3, 1, [] {});
  older->done = [&] { ended.count_down(); };
  newer->done = [&] { done_before = done.load(), ended.count_down(); };
  pool.submit(older);
  pool.submit(newer);
  ended.wait();
  EXPECT_LT(done_before, 50);
}

TEST(WorkerPool, AJobThatSomebodyWaitsForWakesAll) {
  WorkerPool pool(4);
  put_to_sleep(pool);
  Meeting four(4);
  std::promise<void> ended;
  const auto job = slow_job(4, 1, [&] { four.come(); });
  job->done = [&] { ended.set_value(); };
  pool.submit(job);
  pool.hurry(job);
  pool.hurry(job);  // once more changes nothing
  ended.get_future().wait();
  EXPECT_TRUE(four.complete());
  pool.hurry(job);  // nor when it is done
}

TEST(WorkerPool, WhoIsAtWhatAJobEndedStillTakesACore) {
  WorkerPool pool(2);
  const std::shared_ptr<void> left = pool.leave_cores(1);
  std::atomic<bool> ending = false, begun_meanwhile = false;
  std::promise<void> done;
  const auto next = std::make_shared<Job>();
  next->count = 1;
  next->run = [&](int, int) { begun_meanwhile = ending.load(); };
  next->done = [&] { done.set_value(); };
  const auto first = std::make_shared<Job>();
  first->count = 1;
  first->run = [](int, int) {};
  first->done = [&] {
    ending = true;
    pool.submit(next);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ending = false;
  };
  pool.submit(first);
  done.get_future().wait();
  EXPECT_FALSE(begun_meanwhile);
}

}  // namespace
}  // namespace penstock
