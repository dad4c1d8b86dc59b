// The files of a data set, to be opened one by one.
#pragma once

#include <fcntl.h>

#include <algorithm>
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
  /// Brings a file's first bytes into memory: all, or where parts of it are wanted those that say what it holds; of one
  /// on a server those that opening it asks for.
  void will_need(int64_t index, bool parts = false) const {
    if (is_remote(index)) return remote_->will_open(list_.full_path(index), first_of(parts));
    const PosixFile file = open(index);
    file.will_need(0, parts ? std::min(kHead, file.size()) : file.size());
  }
  int64_t bytes_of(int64_t index) const { return open(index).size(); }
  /// @param parts  little of the file is wanted
  PosixFile open(int64_t index, bool parts = false) const {
    if (is_remote(index)) return PosixFile(remote_->open(list_.full_path(index), first_of(parts)));
    return PosixFile::open(root_.fd() >= 0 ? root_.fd() : AT_FDCWD, list_.path(index).data());
  }

 private:
  static constexpr int64_t kHead = 4096;
  static int64_t first_of(bool parts) { return parts ? remote::RemoteFile::kParts : remote::RemoteFile::kWholeFiles; }
  bool is_remote(int64_t index) const {
    return remote::is_url(list_.path(index)) || (remote::is_url(list_.root()) && !list_.path(index).starts_with('/'));
  }
  FileList list_;
  PosixFile root_;
  std::unique_ptr<remote::RemoteFiles> remote_ = std::make_unique<remote::RemoteFiles>();
};

}  // namespace penstock
