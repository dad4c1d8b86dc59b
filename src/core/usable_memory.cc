#include "core/usable_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/cgroup.h"

namespace penstock {
namespace {

/// Version 2 says "max" where there is no limit, version 1 more than there is.
double limit_at(const std::string& folder) {
  for (const char* name : {"/memory.max", "/memory.limit_in_bytes"}) {
    double bytes = 0;
    if (std::ifstream file(folder + name); file >> bytes && bytes > 0) return bytes;
  }
  return HUGE_VAL;
}

}  // namespace

size_t usable_memory(const std::string& root) {
  const double all = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return static_cast<size_t>(std::min(all, least_in_cgroups(root, "memory", limit_at)));
}

}  // namespace penstock
