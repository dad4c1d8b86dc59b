#include "core/usable_memory.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/temp_dir.h"

namespace penstock {
namespace {

const size_t kMachine = usable_memory(test::TempDir().path());

/// What a process of that group may use, where files below /sys/fs/cgroup say so.
size_t memory_of(const std::string& group, const std::vector<std::pair<std::string, std::string>>& limits) {
  const test::TempDir root;
  root.write("proc/self/cgroup", group + "\n");
  for (const auto& [file, text] : limits) root.write("sys/fs/cgroup/" + file, text + "\n");
  return usable_memory(root.path());
}

TEST(UsableMemory, IsTheMachinesWithoutALimit) {
  EXPECT_GT(kMachine, size_t{64} << 20);
  EXPECT_EQ(memory_of("0::/jobs/mine", {{"jobs/mine/memory.max", "max"}}), kMachine);
}

TEST(UsableMemory, IsTheLeastOfTheProcesssGroups) {
  EXPECT_EQ(memory_of("0::/jobs/mine", {{"jobs/mine/memory.max", "9000000"}}), 9'000'000U);
  EXPECT_EQ(memory_of("0::/jobs/mine", {{"jobs/mine/memory.max", "9000000"}, {"jobs/memory.max", "5000000"}}),
            5'000'000U);
}

TEST(UsableMemory, OfAContainerStandsAtItsRoot) {
  EXPECT_EQ(memory_of("0::/", {{"memory.max", "7000000"}}), 7'000'000U);
}

TEST(UsableMemory, GroupsOfVersionOneHaveNoLimitWhereItIsHuge) {
  const std::string file = "memory/mine/memory.limit_in_bytes";
  EXPECT_EQ(memory_of("4:memory:/mine", {{file, "9223372036854771712"}}), kMachine);
  EXPECT_EQ(memory_of("4:memory:/mine", {{file, "6000000"}}), 6'000'000U);
}

}  // namespace
}  // namespace penstock
