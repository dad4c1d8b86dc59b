#include "core/numa.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/temp_dir.h"

namespace penstock {
namespace {

using test::TempDir;

/// Cores that this process may use, as the kernel lists them, without some of the first.
std::string all_but(int some) {
  cpu_set_t mine;
  sched_getaffinity(0, sizeof mine, &mine);
  std::string list;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mine) && some-- <= 0) list += (list.empty() ? "" : ",") + std::to_string(core);
  return list;
}

int first_core() { return std::stoi(all_but(0)); }

TEST(NumaNodes, AreThoseWithCoresOfThisProcess) {
  const TempDir root;
  const std::string nodes = "sys/devices/system/node/", mine = std::to_string(first_core());
  root.write(nodes + "node0/cpulist", "1000-1003," + mine + "\n");
  root.write(nodes + "node2/cpulist", mine + "-" + mine + "\n");
  root.write(nodes + "node3/cpulist", "1004-1007\n");
  root.write(nodes + "node4/cpulist", "\n");  // memory alone
  root.write(nodes + "possible", "0-4\n");
  EXPECT_EQ(numa_nodes(root.path()), (NumaNodes{{0, {first_core()}}, {2, {first_core()}}}));
}

TEST(NumaNodes, ASingleOneIsNone) {
  const TempDir root, empty;
  root.write("sys/devices/system/node/node0/cpulist", all_but(0) + "\n");
  EXPECT_TRUE(numa_nodes(root.path()).empty());
  EXPECT_TRUE(numa_nodes(empty.path()).empty());
}

TEST(NumaNodes, OfPciDevicesAreThoseThatTheMachineSays) {
  const TempDir root;
  root.write("sys/bus/pci/devices/0000:1b:00.0/numa_node", "1\n");
  root.write("sys/bus/pci/devices/0000:1c:00.0/numa_node", "-1\n");
  EXPECT_EQ(node_of_pci("0000:1B:00.0", root.path()), 1);
  EXPECT_EQ(node_of_pci("0000:1c:00.0", root.path()), kAnyNode);
  EXPECT_EQ(node_of_pci("0000:1d:00.0", root.path()), kAnyNode);
}

TEST(NearNode, LastsAsLongAsItLives) {
  const auto policy = [] {
    int mode = -1;
    syscall(SYS_get_mempolicy, &mode, nullptr, 0, nullptr, 0);
    return mode;
  };
  if (policy() != MPOL_DEFAULT) GTEST_SKIP() << "this system does not say where memory comes from";
  {
    const NearNode near(0);
    EXPECT_EQ(policy(), MPOL_PREFERRED);
  }
  EXPECT_EQ(policy(), MPOL_DEFAULT);
  const NearNode anywhere(kAnyNode);
  EXPECT_EQ(policy(), MPOL_DEFAULT);
}

}  // namespace
}  // namespace penstock
