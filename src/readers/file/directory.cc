#include "readers/file/directory.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "core/check.h"
#include "readers/file/file_list.h"
#include "readers/file/glob.h"
#include "readers/file/io_threads.h"
#include "readers/file/posix_file.h"
#include "readers/remote/listing.h"
#include "readers/remote/url.h"

namespace penstock {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

std::vector<Glob> compile(const std::vector<std::string>& patterns, bool case_sensitive) {
  std::vector<Glob> globs;
  for (const std::string& pattern : patterns) globs.emplace_back(pattern, case_sensitive);
  return globs;
}

/// Calls visit(DIR*, const dirent&) for each entry but "." and "..".
template <class Visit>
void for_each_entry(const std::string& path, Visit&& visit) {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  PENSTOCK_CHECK(dir, ArgumentError, "Failed to open directory \"{}\": {}", path, system_message(errno));
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(dir.get());
    if (!entry) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") visit(dir.get(), *entry);
  }
  PENSTOCK_CHECK(errno == 0, DataError, "cannot read on in directory \"{}\": {}", path, system_message(errno));
}

bool is_directory(const std::string& root, DIR* dir, const dirent& entry) {
  if (entry.d_type != DT_LNK && entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  PENSTOCK_CHECK(::fstatat(::dirfd(dir), entry.d_name, &status, 0) == 0, DataError,
                 "Could not access \"{}/{}\" during directory traversal: {}", root, entry.d_name,
                 system_message(errno));
  return S_ISDIR(status.st_mode);
}

/// What `list` gives; an error that it throws tells the folder.
template <class List>
std::vector<std::string> naming(const std::string& url, List&& list) {
  try {
    return list();
  } catch (Error& e) {
    e.add_context({.source = url});
    throw;
  }
}

std::vector<DirectoryListing> list_directories(const std::string& root, const std::vector<Glob>& globs) {
  std::vector<DirectoryListing> found;
  if (remote::is_url(root)) {
    for (std::string& name : naming(root, [&] { return remote::list_folder(root).folders; }))
      if (matches_any(globs, name)) found.push_back({std::move(name), {}});
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
  }
  for_each_entry(root, [&](DIR* dir, const dirent& entry) {
    if (is_directory(root, dir, entry) && matches_any(globs, entry.d_name)) found.push_back({entry.d_name, {}});
  });
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

/// Names that are each followed by a NUL, in order of byte value.
std::string sorted_names(const std::string& unsorted) {
  std::vector<std::string_view> names;
  for (std::string_view rest = unsorted; !rest.empty(); rest.remove_prefix(names.back().size() + 1))
    names.push_back(rest.substr(0, rest.find('\0')));
  std::sort(names.begin(), names.end());
  std::string sorted;
  sorted.reserve(unsorted.size());
  for (const std::string_view name : names) sorted.append(name).push_back('\0');
  return sorted;
}

std::string list_files(const std::string& path, const std::vector<Glob>& globs) {
  std::string unsorted;
  if (remote::is_url(path)) {
    for (const std::string& name : naming(path, [&] { return remote::list_folder(path).files; }))
      if (matches_any(globs, name)) unsorted.append(name).push_back('\0');
    return sorted_names(unsorted);
  }
  for_each_entry(path, [&](DIR*, const dirent& entry) {
    const bool may_be_file = entry.d_type == DT_REG || entry.d_type == DT_LNK || entry.d_type == DT_UNKNOWN;
    if (may_be_file && matches_any(globs, entry.d_name)) unsorted.append(entry.d_name).push_back('\0');
  });
  return sorted_names(unsorted);
}

}  // namespace

std::vector<DirectoryListing> list_tree(const std::string& root, const ScanFilters& filters) {
  std::vector<DirectoryListing> tree = list_directories(root, compile(filters.directories, filters.case_sensitive));
  const std::vector<Glob> globs = compile(filters.files, filters.case_sensitive);
  on_io_threads(tree.size(), [&](size_t i) {
    tree[i].names = list_files(root + (root.ends_with('/') ? "" : "/") + tree[i].name, globs);
  });
  return tree;
}

std::string list_directory(const std::string& path, const ScanFilters& filters) {
  return list_files(path, compile(filters.files, filters.case_sensitive));
}

}  // namespace penstock
