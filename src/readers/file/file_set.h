// The files of a data set, to be opened one by one.
#pragma once

#include <fcntl.h>

#include "core/check.h"
#include "readers/file/file_list.h"
#include "readers/file/posix_file.h"

namespace penstock {

/// The list and the directory that its relative paths start from, looked up once instead of for every file.
class FileSet {
 public:
  /// @param where files were looked for, for people to read
  FileSet(FileList list, std::string_view where) : list_(std::move(list)) {
    PENSTOCK_CHECK(list_.size() > 0, ArgumentError, "No files found: {}", where);
    if (!list_.root().empty()) root_ = PosixFile::open_directory(list_.root());
  }
  const FileList& list() const { return list_; }
  int64_t size() const { return list_.size(); }
  uint64_t fingerprint() const { return list_.fingerprint(); }
  void will_need(int64_t index) const { open(index).will_need(); }
  PosixFile open(int64_t index) const {
    return PosixFile::open(root_.fd() >= 0 ? root_.fd() : AT_FDCWD, list_.path(index).data());
  }

 private:
  FileList list_;
  PosixFile root_;
};

}  // namespace penstock
