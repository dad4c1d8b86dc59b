#include "core/worker_pool.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <future>
#include <latch>
#include <numeric>
#include <set>
#include <thread>

#include "core/cores.h"
#include "core/run_job.h"
#include "core/sanitized.h"

namespace penstock {
namespace {

/// Keeps all workers of a pool at work until they are let go.
class Busy {
 public:
  explicit Busy(WorkerPool& pool) : started_(pool.threads()) {
    auto job = std::make_shared<Job>();
    job->count = pool.threads();
    job->run = [this](int, int) {
      started_.count_down();
      let_go_.wait();
    };
    job->done = [this] { done_.set_value(); };
    pool.submit(job);
    started_.wait();
  }
  ~Busy() { done_.get_future().wait(); }
  void let_go() { let_go_.count_down(); }

 private:
  std::latch started_, let_go_{1};
  std::promise<void> done_;
};

TEST(WorkerPool, RunsEveryItemOnceWhateverTheChunk) {
  WorkerPool pool(3);
  for (int chunk : {1, 2, 7, 100}) {
    std::vector<std::atomic<int>> seen(50);
    auto job = std::make_shared<Job>();
    job->count = 50;
    job->chunk = chunk;
    job->run = [&](int begin, int end) {
      for (int i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
    };
    run(pool, job);
    for (const auto& n : seen) EXPECT_EQ(n, 1);
  }
}

TEST(WorkerPool, WhoWaitsForAJobHelpsWhileWorkersWake) {
  WorkerPool pool(2);
  std::atomic<int> helped = 0;
  const auto caller = std::this_thread::get_id();
  for (int attempt = 0; attempt < 300; ++attempt) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // workers fall asleep
    std::vector<std::atomic<int>> seen(4);
    auto job = std::make_shared<Job>();
    job->count = 4;
    if (attempt % 2) job->limit = std::make_shared<ConcurrencyLimit>(1);
    std::fesetround(FE_UPWARD);  // the caller's own affair
    job->run = [&](int begin, int end) {
      EXPECT_TRUE(WorkerPool::on_worker());
      EXPECT_EQ(std::fegetround(), FE_TONEAREST);
      for (int i = begin; i < end; ++i) ++seen[static_cast<size_t>(i)];
      if (std::this_thread::get_id() == caller) ++helped;
    };
    std::promise<void> done;
    job->done = [&] { done.set_value(); };
    pool.submit(job);
    while (pool.help(job)) {
    }
    EXPECT_FALSE(WorkerPool::on_worker());
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    done.get_future().wait();
    EXPECT_FALSE(pool.help(job));
    for (const auto& n : seen) EXPECT_EQ(n, 1);
  }
  EXPECT_GT(helped, 0);
}

TEST(WorkerPool, NobodyHelpsWhereAllAreAtWork) {
  WorkerPool pool(2);
  Busy busy(pool);
  auto waiting = std::make_shared<Job>();
  waiting->count = 1;
  waiting->run = [](int, int) {};
  std::promise<void> done;
  waiting->done = [&] { done.set_value(); };
  pool.submit(waiting);
  EXPECT_FALSE(pool.help(waiting));  // the cores are theirs
  busy.let_go();
  done.get_future().wait();
}

TEST(WorkerPool, WhatGoesFirstIsBegunBeforeAllThatWaits) {
  WorkerPool pool(1);
  Busy busy(pool);
  std::vector<int> order;
  std::latch done(3);
  for (int i = 0; i < 3; ++i) {
    auto job = std::make_shared<Job>();
    job->count = 1;
    job->first = i == 2;
    job->run = [&order, i](int, int) { order.push_back(i); };
    job->done = [&done] { done.count_down(); };
    pool.submit(job);
  }
  busy.let_go();
  done.wait();
  EXPECT_EQ(order, (std::vector{2, 0, 1}));
}

TEST(WorkerPool, AForkedProcessGetsAPoolOfItsOwn) {
  auto parents = WorkerPool::process();
  // The address sanitizer's own locks do not survive a fork: no worker may just be starting.
  std::latch started(parents->threads());
  auto greeting = std::make_shared<Job>();
  greeting->count = parents->threads();
  greeting->run = [&](int, int) { started.arrive_and_wait(); };
  run(*parents, greeting);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // a hang ends as a failure
    const bool other = parents->is_of_parent() && WorkerPool::process() != parents;
    auto job = std::make_shared<Job>();
    job->count = 1;
    job->run = [](int, int) {};
    run(*WorkerPool::process(), job);
    parents.reset();
    _exit(other ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_FALSE(parents->is_of_parent());
}

TEST(WorkerPool, AForkWhileOneIsMadeLeavesTheChildAPool) {
  if (test::kSanitized) GTEST_SKIP() << "the sanitizer's own allocator does not survive a fork";
  for (const auto pool : {&WorkerPool::io, &WorkerPool::process}) {
    std::atomic<bool> stop = false;
    std::thread maker([&] {
      while (!stop) pool();
    });
    int status = 0;
    for (int i = 0; i < 50 && status == 0; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        alarm(10);  // a hang ends as a failure
        const auto own = pool();
        _exit(own->is_of_parent() ? 1 : 0);
      }
      EXPECT_EQ(waitpid(child, &status, 0), child);
    }
    EXPECT_EQ(status, 0);
    stop = true;
    maker.join();
  }
}

TEST(WorkerPool, FinishedJobsMaySubmitFurtherOnes) {
  WorkerPool pool(2);
  std::promise<int> result;
  auto second = std::make_shared<Job>();
  second->count = 1;
  second->run = [](int, int) {};
  second->done = [&] { result.set_value(2); };
  auto first = std::make_shared<Job>();
  first->count = 3;
  first->run = [](int, int) {};
  first->done = [&] { pool.submit(second); };
  pool.submit(first);
  EXPECT_EQ(result.get_future().get(), 2);
}

TEST(WorkerPool, AJobThatBlocksDoesNotKeepTheNextOneWaiting) {
  WorkerPool pool(2);
  int late = 0;
  for (int round = 0; round < 10000 && late == 0; ++round) {
    std::promise<void> begun;
    std::latch ended(2);
    auto first = std::make_shared<Job>(), second = std::make_shared<Job>();
    first->count = second->count = 1;
    first->done = second->done = [&] { ended.count_down(); };
    first->run = [&, second_has_begun = begun.get_future().share()](int, int) {
      if (second_has_begun.wait_for(std::chrono::seconds(5)) != std::future_status::ready) ++late;
    };
    second->run = [&](int, int) { begun.set_value(); };
    pool.submit(first);
    pool.submit(second);
    ended.wait();
  }
  EXPECT_EQ(late, 0);
}

TEST(WorkerPool, OldJobsComeFirst) {
  WorkerPool pool(1);
  std::vector<int> order;
  std::promise<void> release, done;
  auto blocker = std::make_shared<Job>();
  blocker->count = 1;
  blocker->run = [&](int, int) { release.get_future().wait(); };
  blocker->done = [] {};
  pool.submit(blocker);
  for (int k = 0; k < 3; ++k) {
    auto job = std::make_shared<Job>();
    job->count = 2;
    job->run = [&, k](int, int) { order.push_back(k); };
    job->done = [&, k] {
      if (k == 2) done.set_value();
    };
    pool.submit(job);
  }
  release.set_value();
  done.get_future().wait();
  EXPECT_EQ(order, (std::vector<int>{0, 0, 1, 1, 2, 2}));
}

TEST(WorkerPool, IsSharedWhileSomebodyHoldsIt) {
  auto a = WorkerPool::process();
  EXPECT_EQ(a, WorkerPool::process());
  EXPECT_EQ(a->threads(), usable_cores());
}

TEST(WorkerPool, OfTheProcessIsAsWideAsTheUsableCores) {
  setenv("PENSTOCK_NUM_THREADS", "3", 1);
  EXPECT_EQ(WorkerPool::process()->threads(), 3);
  unsetenv("PENSTOCK_NUM_THREADS");
}

}  // namespace
}  // namespace penstock
