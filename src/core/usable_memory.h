// How much memory this process may really use.
#pragma once

#include <cstddef>
#include <string>

namespace penstock {

/// Bytes: those of the machine, or the cgroup's limit (v1 and v2). `root` is the folder in which /proc and /sys are.
size_t usable_memory(const std::string& root = "");

}  // namespace penstock
