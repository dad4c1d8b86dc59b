#include "core/cores.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "core/cgroup.h"

namespace penstock {
namespace {

int affinity_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::thread::hardware_concurrency());
}

double quota_at(const std::string& folder) {
  std::string quota;
  double period = 0;
  if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period && quota != "max" && period > 0)
    return std::stod(quota) / period;
  double used = 0;
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us"), period_file(folder + "/cpu.cfs_period_us");
  if (quota_file >> used && period_file >> period && used > 0 && period > 0) return used / period;
  return HUGE_VAL;
}

}  // namespace

int usable_cores() {
  if (const char* text = std::getenv("PENSTOCK_NUM_THREADS"))
    if (const int wanted = std::atoi(text); wanted > 0) return wanted;
  return allowed_cores();
}

int allowed_cores(const std::string& root) {
  const double quota = std::ceil(least_in_cgroups(root, "cpu", quota_at));
  return std::max(1, static_cast<int>(std::min<double>(affinity_cores(), quota)));
}

}  // namespace penstock
