// How many cores this process may really use.
#pragma once

namespace penstock {

/// Cores allowed by the affinity mask and by the cgroup's CPU quota (v1 and v2), at least 1. PENSTOCK_NUM_THREADS
/// overrides it.
int usable_cores();

}  // namespace penstock
