#include "readers/file/file_list.h"

#include <limits>

#include "core/check.h"
#include "readers/file/directory.h"
#include "readers/file/list_lines.h"
#include "readers/fingerprint.h"
#include "readers/remote/url.h"

namespace penstock {

std::vector<std::string> usual_file_filters() {
  return {"*.jpg", "*.jpeg", "*.png", "*.bmp",  "*.tif",  "*.tiff", "*.pnm", "*.ppm",
          "*.pgm", "*.pbm",  "*.jp2", "*.webp", "*.flac", "*.ogg",  "*.wav"};
}

FileList FileList::scan(const std::string& root, const ScanFilters& filters) {
  PENSTOCK_CHECK(!filters.files.empty(), ArgumentError, "`file_filters` list cannot be empty.");
  PENSTOCK_CHECK(!filters.directories.empty(), ArgumentError, "`dir_filters` list cannot be empty.");
  FileList list(root);
  int64_t label = 0;
  for (const DirectoryListing& directory : list_tree(root, filters)) {
    for (std::string_view rest = directory.names; !rest.empty(); rest.remove_prefix(rest.find('\0') + 1))
      list.add(fmt::format("{}/{}", directory.name, rest.substr(0, rest.find('\0'))), label);
    ++label;
  }
  return list;
}

namespace {

/// Where the relative paths of a list start from.
std::string root_of(const std::string& list_path, const std::optional<std::string>& root) {
  PENSTOCK_CHECK(!list_path.empty(), ArgumentError, "`file_list` argument cannot be empty");
  const size_t slash = list_path.rfind('/');
  return root ? *root : slash == std::string::npos ? "" : list_path.substr(0, slash + 1);
}

}  // namespace

FileList FileList::scan_unlabelled(const std::string& root, const std::string& pattern) {
  const ScanFilters filters{.files = {pattern}, .case_sensitive = true};
  FileList list(root);
  const auto add_all = [&](const std::string& directory, std::string_view names) {
    for (; !names.empty(); names.remove_prefix(names.find('\0') + 1))
      list.add(fmt::format("{}/{}", directory, names.substr(0, names.find('\0'))), 0);
  };
  add_all(".", list_directory(root, filters));
  for (const DirectoryListing& directory : list_tree(root, filters)) add_all(directory.name, directory.names);
  return list;
}

FileList FileList::parse_unlabelled(const std::string& list_path, const std::optional<std::string>& root) {
  FileList list(root_of(list_path, root));
  for_each_path(list_path, [&](std::string_view path) { list.add(path, 0); });
  return list;
}

FileList FileList::parse(const std::string& list_path, const std::optional<std::string>& root) {
  FileList list(root_of(list_path, root));
  for_each_listed(list_path, [&](std::string_view path, int64_t label) { list.add(path, label); });
  return list;
}

FileList FileList::of(const std::vector<std::string>& files, const std::optional<std::vector<int64_t>>& labels,
                      const std::string& root) {
  PENSTOCK_CHECK(!files.empty(), ArgumentError, "`files` specified an empty list.");
  PENSTOCK_CHECK(!labels || labels->size() == files.size(), ArgumentError, "Provided {} labels for {} files.",
                 labels->size(), files.size());
  FileList list(root);
  for (size_t i = 0; i < files.size(); ++i) {
    PENSTOCK_CHECK(!files[i].empty() && files[i].find('\0') == std::string::npos, ArgumentError,
                   "file {} of `files` is not a path: it is empty or holds a NUL character", i);
    list.add(files[i], labels ? (*labels)[i] : static_cast<int64_t>(i));
  }
  return list;
}

void FileList::add(std::string_view path, int64_t label) {
  PENSTOCK_CHECK(label >= std::numeric_limits<int32_t>::min() && label <= std::numeric_limits<int32_t>::max(),
                 DataError, "label {} of \"{}\" does not fit into int32", label, path);
  paths_.append(path).push_back('\0');
  begins_.push_back(paths_.size());
  labels_.push_back(static_cast<int32_t>(label));
}

std::string FileList::full_path(int64_t i) const {
  const std::string_view listed = path(i);
  if (root_.empty() || listed.starts_with('/') || remote::is_url(listed)) return std::string(listed);
  return fmt::format("{}{}{}", root_, root_.ends_with('/') ? "" : "/", listed);
}

uint64_t FileList::fingerprint() const {
  Fingerprint all;
  for (int64_t i = 0; i < size(); ++i) {
    const std::string_view listed = path(i);
    all.add(listed.substr(listed.rfind('/') + 1));  // npos + 1 is 0: no directory
    all.add(static_cast<uint64_t>(label(i)));
  }
  return all.value();
}

}  // namespace penstock
