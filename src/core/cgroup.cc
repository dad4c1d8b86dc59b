#include "core/cgroup.h"

#include <algorithm>
#include <fstream>

namespace penstock {
namespace {

/// The folder of this process in the tree of that controller, which has no name in version 2; "/" when not listed.
std::string path_of(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos) return line.substr(second + 1);
  }
  return "/";
}

}  // namespace

double least_in_cgroups(const std::string& root, const std::string& controller,
                        const std::function<double(const std::string& folder)>& at) {
  const std::string v2 = root + "/sys/fs/cgroup", v1 = v2 + "/" + controller;
  double least = std::min(at(v2), at(v1));
  for (std::string path : {path_of(root, ""), path_of(root, controller)})
    for (; path.size() > 1; path.resize(path.find_last_of('/')))
      least = std::min({least, at(v2 + path), at(v1 + path)});
  return least;
}

}  // namespace penstock
