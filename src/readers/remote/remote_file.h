// A file on a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "readers/remote/ahead.h"
#include "readers/remote/cache.h"
#include "readers/remote/target.h"

namespace penstock::remote {

/// A file as it was when it was opened; a server that has another one meanwhile is an error. Any thread.
class RemoteFile {
 public:
  /// The first request asks for so many bytes, and tells the size with them: all of a picture, or little of an array of
  /// which parts are wanted, and of an archive, whose records will be asked for.
  static constexpr int64_t kWholeFiles = int64_t{4} << 20, kParts = int64_t{16} << 10, kRecords = int64_t{64} << 10;

  /// @param first  bytes that are asked for to begin with
  /// @param tries  see get()
  /// @throws DataError when the server does not give it, ArgumentError for a URL that cannot be one
  RemoteFile(std::string url, int64_t first, int tries);

  int64_t size() const { return version_.size; }
  /// Fills `out` with the bytes from `begin` on. Large parts come in several requests at a time. @throws DataError
  void read(std::span<std::byte> out, int64_t begin) const;
  /// Asks for these bytes, for a read() of just them that comes soon. Waits; never throws.
  void will_need(int64_t begin, int64_t size) const noexcept;
  /// The file as a whole on this machine, where PENSTOCK_CACHE says so and it has room; else none (fd -1). Fetches it
  /// where it is not there. @throws DataError
  PosixFile local_copy() const;

 private:
  struct Range {
    int64_t begin, size;
  };
  void open(int64_t first, int tries);
  Range behind_head(int64_t begin, int64_t size) const;
  bool is_kept(Range range) const;
  std::string part(int64_t begin, int64_t size, int tries) const;
  std::string fetched(int64_t begin, int64_t size, int tries) const;

  Target target_;
  std::shared_ptr<Cache> cache_;  // null: nothing is kept
  FileVersion version_;
  std::string head_;  // the first bytes
  mutable Ahead<std::string> ahead_;
};

using RemoteFilePtr = std::shared_ptr<const RemoteFile>;

/// Files of one data set that are samples, of which `first` bytes are asked for to begin with.
class RemoteFiles {
 public:
  RemoteFiles();
  /// @throws as RemoteFile
  RemoteFilePtr open(const std::string& url, int64_t first = RemoteFile::kWholeFiles);
  /// As open(), for an open() that comes soon. Waits; never throws.
  void will_open(const std::string& url, int64_t first = RemoteFile::kWholeFiles) noexcept;

 private:
  Ahead<RemoteFile> ahead_;
};

}  // namespace penstock::remote
