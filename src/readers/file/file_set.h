// The files of a data set, to be opened one by one.
#pragma once

#include <fcntl.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "core/check.h"
#include "readers/file/file_list.h"
#include "readers/file/posix_file.h"
#include "readers/remote/remote_file.h"
#include "readers/remote/url.h"

namespace penstock {

/// The list and the directory that its relative paths start from, looked up once instead of for every file.
class FileSet {
 public:
  /// @param where files were looked for, for people to read
  FileSet(FileList list, std::string_view where) : list_(std::move(list)) {
    PENSTOCK_CHECK(list_.size() > 0, ArgumentError, "No files found: {}", where);
    if (!list_.root().empty() && !remote::is_url(list_.root())) root_ = PosixFile::open_directory(list_.root());
  }
  const FileList& list() const { return list_; }
  int64_t size() const { return list_.size(); }
  uint64_t fingerprint() const { return list_.fingerprint(); }
  /// Brings the first bytes of a file into memory, `most` of them; of one on a server those that opening it asks for.
  void will_need(int64_t index, int64_t most = std::numeric_limits<int64_t>::max()) const {
    if (is_remote(index)) return remote_->will_open(list_.full_path(index));
    const PosixFile file = open(index);
    file.will_need(0, std::min(most, file.size()));
  }
  int64_t bytes_of(int64_t index) const { return open(index).size(); }
  PosixFile open(int64_t index) const {
    if (is_remote(index)) return PosixFile(remote_->open(list_.full_path(index)));
    return PosixFile::open(root_.fd() >= 0 ? root_.fd() : AT_FDCWD, list_.path(index).data());
  }

 private:
  bool is_remote(int64_t index) const {
    return remote::is_url(list_.path(index)) || (remote::is_url(list_.root()) && !list_.path(index).starts_with('/'));
  }
  FileList list_;
  PosixFile root_;
  std::unique_ptr<remote::RemoteFiles> remote_ = std::make_unique<remote::RemoteFiles>();
};

}  // namespace penstock
