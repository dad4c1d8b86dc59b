// Calls: who runs them, in which order, and what their errors say.
#include <gtest/gtest.h>
#include <penstock/parallel.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "parallel/tensors.h"

namespace penstock::parallel {
namespace {

std::vector<DeviceId> virtual_devices(int count) {
  std::vector<DeviceId> devices;
  for (int i = 0; i < count; ++i) devices.push_back({.index = i});
  return devices;
}

TEST(Group, RefusesDevicesThatDoNotFit) {
  EXPECT_THROW(Group({}), ArgumentError);
  EXPECT_THROW(Group({{.index = 1}, {.index = 1}}), ArgumentError);
  EXPECT_THROW(Group({DeviceId::parse("cpu:0"), DeviceId::parse("cuda:0")}), ArgumentError);
  EXPECT_THROW(Group({DeviceId::parse("cuda:1000")}), ArgumentError);
}

TEST(Group, EachDeviceHasAThreadOfItsOwnForAsLongAsItLives) {
  Group group(virtual_devices(3));
  const auto ids = [&] { return group.map(3, [](Replica&) { return std::this_thread::get_id(); }); };
  const std::vector<std::thread::id> first = ids();
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3);
  EXPECT_FALSE(std::ranges::count(first, std::this_thread::get_id()));
  EXPECT_EQ(ids(), first);
}

TEST(Group, ReplicasKnowWhoTheyAreAndRunAtTheSameTime) {
  Group group({{.index = 4}, {.index = 2}});
  std::barrier both(2);
  const auto names = group.map(2, [&](Replica& replica) {
    both.arrive_and_wait();
    EXPECT_EQ(this_replica(), &replica);
    return std::to_string(replica.number()) + " " + to_string(replica.device());
  });
  EXPECT_EQ(this_replica(), nullptr);
  EXPECT_EQ(names, (std::vector<std::string>{"0 cpu:4", "1 cpu:2"}));
  EXPECT_THROW(group.run(3, [](Replica&) {}), ArgumentError);
  group.run(0, [](Replica&) { FAIL(); });
}

TEST(Group, OneErrorIsToldWithDeviceAndRows) {
  Group group({{.index = 1}, {.index = 3}});
  try {
    group.apply(counting({3, 2}), [](Replica& replica, const Tensor& part) -> Tensor {
      if (replica.number() == 1) throw std::out_of_range("no such channel");
      return part;
    });
    FAIL();
  } catch (const ReplicaErrors& e) {
    EXPECT_STREQ(e.what(), "replica 1 on cpu:3 (rows 2 to 2 of 3): no such channel");
    ASSERT_EQ(e.failures().size(), 1);
    EXPECT_EQ(e.failures()[0].replica, 1);
    EXPECT_EQ(e.failures()[0].begin, 2);
    EXPECT_THROW(std::rethrow_exception(e.failures()[0].error), std::out_of_range);
  }
  EXPECT_EQ(group.map(2, [](Replica& r) { return r.number(); }), (std::vector<int>{0, 1}));  // it goes on
}

TEST(Group, ErrorsOfSeveralReplicasAreAllTold) {
  Group group(virtual_devices(3));
  try {
    group.run(3, [](Replica& replica) {
      if (replica.number() == 0) throw ArgumentError("too small");
      if (replica.number() == 2) throw 7;  // NOLINT: anything may be thrown
    });
    FAIL();
  } catch (const ReplicaErrors& e) {
    EXPECT_STREQ(e.what(),
                 "2 replicas failed; replica 0 on cpu:0: too small; replica 2 on cpu:2: something that is no "
                 "std::exception");
    EXPECT_THROW(std::rethrow_exception(e.failures()[0].error), ArgumentError);
    EXPECT_THROW(std::rethrow_exception(e.failures()[1].error), int);
  }
}

TEST(Group, CallsOfManyThreadsComeInOneOrderOnAllDevices) {
  constexpr int kDevices = 8, kCallers = 4, kCalls = 400;
  Group group(virtual_devices(kDevices));
  std::array<std::vector<int>, kDevices> seen;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < kCalls; ++i)
        group.run(kDevices, [&](Replica& replica) {
          seen[static_cast<size_t>(replica.number())].push_back(caller * kCalls + i);
        });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(seen[0].size(), kCallers * kCalls);
  for (const std::vector<int>& order : seen) EXPECT_TRUE(order == seen[0]);
}

TEST(Group, ACallableMayNotAskItsOwnGroup) {
  Group group(virtual_devices(2)), other(virtual_devices(2));
  EXPECT_THROW(group.run(1, [&](Replica&) { group.run(2, [](Replica&) {}); }), ReplicaErrors);
  group.run(1, [&](Replica&) { other.run(2, [](Replica&) {}); });
}

TEST(Group, WorkersAreGoneWhenTheGroupIs) {
  std::atomic<int> ended{0};
  struct AtThreadEnd {
    std::atomic<int>* count = nullptr;
    ~AtThreadEnd() {
      if (count) ++*count;
    }
  };
  {
    Group group(virtual_devices(3));
    group.run(3, [&](Replica&) {
      static thread_local AtThreadEnd notes;
      notes.count = &ended;
    });
    EXPECT_EQ(ended, 0);
  }
  EXPECT_EQ(ended, 3);
}

TEST(Group, AForkedProcessIsToldToMakeItsOwn) {
  auto group = std::make_unique<Group>(virtual_devices(2));
  group->run(2, [](Replica&) {});
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the workers wait for more: a child would for ever
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    try {
      group->run(2, [](Replica&) {});
    } catch (const ArgumentError&) {
      group.reset();  // must not wait for the parent's workers
      _exit(7);
    }
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace penstock::parallel
