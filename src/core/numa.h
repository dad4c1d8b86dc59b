// Which cores, memory and GPUs are near each other: a machine with several sockets has memory in each, a node.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace penstock {

inline constexpr int kAnyNode = -1;

/// Cores by the number of their node.
using NumaNodes = std::map<int, std::vector<int>>;

/// The nodes with cores that this process may use; none where that is a single one, or the machine says nothing.
/// `root` is the folder in which /sys is.
NumaNodes numa_nodes(const std::string& root = "");
/// The node of a PCI device, such as "0000:1b:00.0"; kAnyNode where the machine does not say.
int node_of_pci(std::string address, const std::string& root = "");

/// Memory that this thread makes while it lives comes from that node if there is room, as far as the system allows it.
class NearNode {
 public:
  explicit NearNode(int node);
  ~NearNode();
  NearNode(const NearNode&) = delete;
  NearNode& operator=(const NearNode&) = delete;

 private:
  bool set_ = false;
};

/// The calling thread runs on these cores from now on, if the system allows it.
void bind_to(const std::vector<int>& cores);

}  // namespace penstock
