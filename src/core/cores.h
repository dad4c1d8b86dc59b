// How many cores this process may really use.
#pragma once

#include <string>

namespace penstock {

/// Cores allowed by the affinity mask and by the cgroup's CPU quota (v1 and v2), at least 1. PENSTOCK_NUM_THREADS
/// overrides it.
int usable_cores();

/// The same without PENSTOCK_NUM_THREADS. `root` is the folder in which /proc and /sys are.
int allowed_cores(const std::string& root = "");

}  // namespace penstock
