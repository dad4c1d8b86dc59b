// Files that others see as a whole or not at all.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace penstock {

/// A name beside `path` for what is to take its place. It is drawn anew at each call: threads, processes, and hosts
/// that share a file system use different ones.
std::string name_beside(const std::string& path);

/// Writes `parts` one behind the other, and puts the file in the place of `path`.
/// @return 0, or the `errno` that says why `path` stays as it was
int write_whole_file(const std::string& path, std::initializer_list<std::string_view> parts);

}  // namespace penstock
