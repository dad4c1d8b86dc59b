// What lies in the directories below a root.
#pragma once

#include <string>
#include <vector>

namespace penstock {

struct ScanFilters;

struct DirectoryListing {
  std::string name;
  std::string names;  ///< of its files, in order of byte value, each followed by a NUL
};

/// The matching directories directly below `root`, in order of byte value, with their matching files.
/// @throws ArgumentError, DataError as FileList::scan
std::vector<DirectoryListing> list_tree(const std::string& root, const ScanFilters& filters);

/// The matching files in `path` itself, as DirectoryListing::names. @throws likewise
std::string list_directory(const std::string& path, const ScanFilters& filters);

}  // namespace penstock
