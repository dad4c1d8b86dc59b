#include "core/system_memory.h"

#include <gtest/gtest.h>

#include "core/temp_dir.h"

namespace penstock {
namespace {

using test::TempDir;

const size_t kMachine = system_memory(TempDir().path());

TEST(SystemMemory, IsTheMachinesWithoutAGroup) { EXPECT_GT(kMachine, size_t{64} << 20); }

TEST(SystemMemory, IsTheLeastOfTheProcesssGroups) {
  const TempDir root;
  root.write("proc/self/cgroup", "0::/jobs/mine\n");
  root.write("sys/fs/cgroup/jobs/mine/memory.max", "max\n");
  EXPECT_EQ(system_memory(root.path()), kMachine);
  root.write("sys/fs/cgroup/jobs/mine/memory.max", "9000000\n");
  EXPECT_EQ(system_memory(root.path()), 9'000'000U);
  root.write("sys/fs/cgroup/jobs/memory.max", "5000000\n");
  EXPECT_EQ(system_memory(root.path()), 5'000'000U);
}

TEST(SystemMemory, OfAContainerStandsAtItsRoot) {
  const TempDir root;
  root.write("proc/self/cgroup", "0::/\n");
  root.write("sys/fs/cgroup/memory.max", "7000000\n");
  EXPECT_EQ(system_memory(root.path()), 7'000'000U);
}

TEST(SystemMemory, GroupsOfVersionOneHaveNoLimitWhereItIsHuge) {
  const TempDir root;
  root.write("proc/self/cgroup", "4:memory:/mine\n");
  root.write("sys/fs/cgroup/memory/mine/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(system_memory(root.path()), kMachine);
  root.write("sys/fs/cgroup/memory/mine/memory.limit_in_bytes", "6000000\n");
  EXPECT_EQ(system_memory(root.path()), 6'000'000U);
}

}  // namespace
}  // namespace penstock
