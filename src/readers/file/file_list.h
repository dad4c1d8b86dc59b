// The files of a data set and their labels, in the order of the data set. The rules are those of DALI's readers.file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// Patterns of names that DALI's readers take for pictures and sounds.
std::vector<std::string> usual_file_filters();

/// Which names a directory scan takes.
struct ScanFilters {
  std::vector<std::string> files;  ///< patterns; a file needs to match one of them
  std::vector<std::string> directories = {"*"};
  bool case_sensitive = false;
};

/// Millions of entries: all paths lie in one block of text, each followed by a NUL.
class FileList {
 public:
  /// The files in the directories below `root`. Directories are sorted by byte value; the label is a directory's place
  /// among those that match. Files are sorted within their directory. Deeper directories are not visited.
  /// @throws ArgumentError for a root that cannot be opened, DataError for an entry of it that cannot be looked at
  static FileList scan(const std::string& root, const ScanFilters& filters);
  /// The lines "path label" of a list file. Relative paths start from `root`, or from the directory of the list itself.
  /// @throws ArgumentError for a list that cannot be opened, DataError that names the line for a malformed one
  static FileList parse(const std::string& list_path, const std::optional<std::string>& root);
  /// The matching files in `root` itself, called "./name", and in the directories directly below it, without labels.
  /// @throws as scan()
  static FileList scan_unlabelled(const std::string& root, const std::string& pattern);
  /// The lines of a list file, each a path; relative ones start from `root`, or from the directory of the list itself.
  /// @throws as parse()
  static FileList parse_unlabelled(const std::string& list_path, const std::optional<std::string>& root);
  /// The given files with their labels; without labels, each file's place is its label.
  /// @throws ArgumentError
  static FileList of(const std::vector<std::string>& files, const std::optional<std::vector<int64_t>>& labels,
                     const std::string& root);

  int64_t size() const { return static_cast<int64_t>(labels_.size()); }
  /// As listed (relative to root() unless absolute), followed by a NUL.
  std::string_view path(int64_t i) const {
    const size_t at = begins_[static_cast<size_t>(i)], next = begins_[static_cast<size_t>(i) + 1];
    return std::string_view(paths_).substr(at, next - at - 1);
  }
  const std::vector<int32_t>& labels() const { return labels_; }
  int32_t label(int64_t i) const { return labels_[static_cast<size_t>(i)]; }
  /// Directory that relative paths start from; empty for the current one.
  const std::string& root() const { return root_; }
  /// Path that opens from the current directory.
  std::string full_path(int64_t i) const;
  /// Depends on names (without directories, which may differ between machines), labels and their order.
  uint64_t fingerprint() const;

 private:
  explicit FileList(std::string root) : root_(std::move(root)) {}
  void add(std::string_view path, int64_t label);

  std::string root_, paths_;
  std::vector<size_t> begins_ = {0};
  std::vector<int32_t> labels_;
};

}  // namespace penstock
