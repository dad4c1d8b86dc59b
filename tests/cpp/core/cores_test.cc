#include "core/cores.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>

#include "core/temp_dir.h"

namespace penstock {
namespace {

using test::TempDir;

TEST(UsableCores, FollowsTheEnvironmentAndIsAtLeastOne) {
  EXPECT_GE(usable_cores(), 1);
  setenv("PENSTOCK_NUM_THREADS", "5", 1);
  EXPECT_EQ(usable_cores(), 5);
  setenv("PENSTOCK_NUM_THREADS", "nonsense", 1);
  EXPECT_GE(usable_cores(), 1);
  unsetenv("PENSTOCK_NUM_THREADS");
}

TEST(AllowedCores, FollowTheAffinityMask) {
  const TempDir no_groups;
  cpu_set_t all, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  EXPECT_EQ(allowed_cores(no_groups.path()), CPU_COUNT(&all));
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "needs two cores: with one, no mask allows fewer";
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(allowed_cores(no_groups.path()), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
}

/// What is left of the cores that the affinity mask allows.
class QuotaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (allowed_cores(root_.path()) < 2) GTEST_SKIP() << "needs two cores: with one, no quota allows fewer";
  }
  void expect_cores(int quota) const {
    EXPECT_EQ(allowed_cores(root_.path()), std::min(quota, allowed_cores(TempDir().path())));
  }
  static constexpr int kNone = 1 << 20;
  const TempDir root_;
};

TEST_F(QuotaTest, IsThatOfTheProcesssGroup) {
  root_.write("proc/self/cgroup", "0::/jobs/mine\n");
  root_.write("sys/fs/cgroup/jobs/mine/cpu.max", "max 100000\n");
  expect_cores(kNone);
  root_.write("sys/fs/cgroup/jobs/mine/cpu.max", "100000 100000\n");
  expect_cores(1);
}

TEST_F(QuotaTest, MayBeThatOfAGroupAround) {
  root_.write("proc/self/cgroup", "0::/jobs/mine\n");
  root_.write("sys/fs/cgroup/jobs/mine/cpu.max", "800000 100000\n");
  root_.write("sys/fs/cgroup/jobs/cpu.max", "100000 100000\n");
  expect_cores(1);
}

TEST_F(QuotaTest, OfAContainerStandsAtItsRoot) {
  root_.write("proc/self/cgroup", "0::/\n");
  root_.write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  expect_cores(1);
}

TEST_F(QuotaTest, IsRoundedUp) {
  root_.write("sys/fs/cgroup/cpu.max", "150000 100000\n");
  expect_cores(2);
}

TEST_F(QuotaTest, OfTheFirstVersionStandsInTwoFiles) {
  root_.write("proc/self/cgroup", "5:memory:/other\n4:cpu,cpuacct:/jobs\n");
  root_.write("sys/fs/cgroup/cpu/jobs/cpu.cfs_period_us", "100000\n");
  root_.write("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "-1\n");
  expect_cores(kNone);
  root_.write("sys/fs/cgroup/cpu/jobs/cpu.cfs_quota_us", "100000\n");
  expect_cores(1);
}

}  // namespace
}  // namespace penstock
