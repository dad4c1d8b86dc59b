// What the control groups allow that a process is in.
#pragma once

#include <functional>
#include <string>

namespace penstock {

/// The least that `at(folder)` says of this process's groups, each group's own up to the root: a container sees its own
/// group as the root. Folders are those of version 2, then those of `controller` in version 1; `at` says infinity where
/// it finds nothing.
/// @param root the folder in which /proc and /sys are
double least_in_cgroups(const std::string& root, const std::string& controller,
                        const std::function<double(const std::string& folder)>& at);

}  // namespace penstock
