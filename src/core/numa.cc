#include "core/numa.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

constexpr int kMostNodes = 64;  // bits of the mask below

/// "0-3,8" as numbers; nothing for other text.
std::vector<int> numbers_in(const std::string& list) {
  std::vector<int> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const int found = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    if (found < 1) continue;
    for (int i = first; i <= (found == 2 ? last : first) && i < CPU_SETSIZE; ++i) numbers.push_back(i);
  }
  return numbers;
}

}  // namespace

NumaNodes numa_nodes(const std::string& root) {
  cpu_set_t mine;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return {};
  NumaNodes nodes;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(root + "/sys/devices/system/node", none)) {
    int node = 0;
    if (std::sscanf(entry.path().filename().c_str(), "node%d", &node) != 1) continue;
    std::ifstream file(entry.path() / "cpulist");
    std::string list;
    std::getline(file, list);
    std::vector<int> cores = numbers_in(list);
    std::erase_if(cores, [&](int core) { return !CPU_ISSET(core, &mine); });
    if (!cores.empty()) nodes[node] = std::move(cores);
  }
  return nodes.size() > 1 ? nodes : NumaNodes{};
}

int node_of_pci(std::string address, const std::string& root) {
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return std::tolower(c); });
  int node = kAnyNode;
  std::ifstream file(root + "/sys/bus/pci/devices/" + address + "/numa_node");
  return file >> node && node >= 0 ? node : kAnyNode;
}

NearNode::NearNode(int node) {
  if (node < 0 || node >= kMostNodes) return;
  const unsigned long mask = 1UL << node;
  set_ = syscall(SYS_set_mempolicy, MPOL_PREFERRED, &mask, kMostNodes + 1) == 0;
}

NearNode::~NearNode() {
  if (set_) syscall(SYS_set_mempolicy, MPOL_DEFAULT, nullptr, 0);
}

void bind_to(const std::vector<int>& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace penstock
