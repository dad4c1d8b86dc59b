#include "core/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace penstock {
namespace {

int affinity_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

/// The folder of this process in the cgroup tree of that controller; "/" when not listed.
std::string cgroup_path(const std::string& root, const std::string& controller) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
    if (names.find("," + controller + ",") != std::string::npos) return line.substr(second + 1);
  }
  return "/";
}

double quota_at(const std::string& folder_v2, const std::string& folder_v1) {
  std::string quota;
  double period = 0;
  if (std::ifstream file(folder_v2 + "/cpu.max"); file >> quota >> period && quota != "max" && period > 0)
    return std::stod(quota) / period;
  double used = 0;
  std::ifstream quota_file(folder_v1 + "/cpu.cfs_quota_us"), period_file(folder_v1 + "/cpu.cfs_period_us");
  if (quota_file >> used && period_file >> period && used > 0 && period > 0) return used / period;
  return HUGE_VAL;
}

/// The tightest quota from this process's group up to the root: a container sees its own group as the root.
double cgroup_quota(const std::string& root) {
  const std::string v2 = root + "/sys/fs/cgroup", v1 = v2 + "/cpu";
  double quota = quota_at(v2, v1);
  for (std::string path : {cgroup_path(root, ""), cgroup_path(root, "cpu")})
    for (; path.size() > 1; path.resize(path.find_last_of('/')))
      quota = std::min(quota, quota_at(v2 + path, v1 + path));
  return quota;
}

}  // namespace

int usable_cores() {
  if (const char* text = std::getenv("PENSTOCK_NUM_THREADS"))
    if (const int wanted = std::atoi(text); wanted > 0) return wanted;
  return allowed_cores();
}

int allowed_cores(const std::string& root) {
  const double quota = std::ceil(cgroup_quota(root));
  return std::max(1, static_cast<int>(std::min<double>(affinity_cores(), quota)));
}

}  // namespace penstock
