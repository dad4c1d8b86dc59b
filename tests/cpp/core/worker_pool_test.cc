#include "core/worker_pool.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <future>
#include <latch>
#include <numeric>
#include <optional>
#include <set>

#include "core/cores.h"

namespace penstock {
namespace {

/// Runs `job` and waits for it.
void run(WorkerPool& pool, const std::shared_ptr<Job>& job) {
  std::promise<void> done;
  job->done = [&] { done.set_value(); };
  pool.submit(job);
  done.get_future().wait();
}

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
    if (attempt % 2) job->crew = std::make_shared<Crew>(1);
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

TEST(WorkerPool, KeepsToTheSizeOfACrewWhateverItsJobs) {
  WorkerPool pool(6);
  const auto crew = std::make_shared<Crew>(2);
  std::atomic<int> at_once{0}, most{0}, others{0};
  std::latch done(3);
  const auto submit = [&](std::shared_ptr<Crew> whose, std::function<void()> item) {
    auto job = std::make_shared<Job>();
    job->count = 20;
    job->crew = std::move(whose);
    job->run = [item = std::move(item)](int, int) { item(); };
    job->done = [&] { done.count_down(); };
    pool.submit(job);
  };
  for (int i = 0; i < 2; ++i)
    submit(crew, [&] {
      const int now = ++at_once;
      int seen = most;
      while (now > seen && !most.compare_exchange_weak(seen, now)) {
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      --at_once;
    });
  submit(nullptr, [&] { others += at_once == 2; });
  done.wait();
  EXPECT_EQ(most, 2);
  EXPECT_GT(others, 0);  // who is of no crew is not kept waiting by a full one
}

TEST(WorkerPool, ACrewIsWholeAgainWhoeverIsBusyWithWhatTheyEnded) {
  WorkerPool pool(4);
  for (int attempt = 0; attempt < 50; ++attempt) {
    const auto crew = std::make_shared<Crew>(2);
    std::latch begun(2), submitted(1), met(2), released(1), ended(3);
    const auto submit = [&](int count, std::function<void()> item, std::function<void()> done) {
      auto job = std::make_shared<Job>();
      job->count = count;
      job->crew = crew;
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
    EXPECT_EQ(items, 2) << "of a crew of two only one is at work";
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

/// Two workers, each bound to a core of its own that stands for a node: 3 and 7.
class TwoNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &mine)) cores_.push_back(core);
    if (cores_.size() < 2) GTEST_SKIP() << "needs two cores that stand for nodes";
    pool_.emplace(2, "penstock", NumaNodes{{3, {cores_[0]}}, {7, {cores_[1]}}});
  }
  /// The node of the worker that asks.
  int here() const {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    EXPECT_EQ(CPU_COUNT(&mine), 1);
    return CPU_ISSET(cores_[0], &mine) ? 3 : 7;
  }
  std::vector<int> cores_;
  std::optional<WorkerPool> pool_;
};

TEST_F(TwoNodes, WorkersDoWhatIsNearThemFirst) {
  for (int round = 0; round < 50; ++round) {
    std::latch busy(3), begun(2), ended(3);
    std::promise<void> release;
    const auto released = release.get_future().share();
    auto gate = std::make_shared<Job>();
    gate->count = 2;
    gate->run = [&](int, int) {
      busy.count_down();
      released.wait();
    };
    gate->done = [&] { ended.count_down(); };
    pool_->submit(gate);
    busy.arrive_and_wait();
    for (int node : {7, 3}) {
      auto job = std::make_shared<Job>();
      job->count = 1;
      job->node = node;
      job->run = [&, node](int, int) {
        EXPECT_EQ(here(), node);
        begun.arrive_and_wait();  // so that each worker does one of them
      };
      job->done = [&] { ended.count_down(); };
      pool_->submit(job);
    }
    release.set_value();
    ended.wait();
  }
}

TEST_F(TwoNodes, WorkersHelpWhereTheyHaveNothingOfTheirOwn) {
  std::latch both(2);
  auto job = std::make_shared<Job>();
  job->count = 2;
  job->node = 3;
  job->run = [&](int, int) { both.arrive_and_wait(); };
  run(*pool_, job);
}

TEST_F(TwoNodes, SleepersThatAreNearAreWokenFirst) {
  int near = 0;
  for (int round = 0; round < 100; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // all sleep again
    auto job = std::make_shared<Job>();
    job->count = 1;
    job->node = round % 2 ? 3 : 7;
    job->run = [&](int, int) { near += here() == job->node; };
    run(*pool_, job);
    job->run = nullptr;
  }
  EXPECT_GE(near, 90);
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
