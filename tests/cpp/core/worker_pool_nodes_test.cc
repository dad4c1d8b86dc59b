// Which workers do what is near the memory of a socket.
#include <gtest/gtest.h>
#include <sched.h>

#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/run_job.h"
#include "core/worker_pool.h"

namespace penstock {
namespace {

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

}  // namespace
}  // namespace penstock
