// Whole files of the cache, which are read as any file of this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "readers/remote/cache_folder.h"

namespace penstock::remote {

/// Fills `file`, which has room for all of it. False where it cannot be written. @throws DataError
using FetchFile = std::function<bool(const PosixFile& file)>;

/// An entry is the file itself, "data", beside "info", which has its checksum. While a process has it open it holds a
/// lock, and no other deletes it. Any thread and process.
class CacheFiles {
 public:
  explicit CacheFiles(const CacheFolder& folder) : folder_(folder) {}

  /// The file of that key and size, open; fetched by one of the processes that ask for it while the others wait.
  /// No file (fd -1) where it has no room. @throws what `fetch` does
  PosixFile open(const Key& key, int64_t size, const FetchFile& fetch) const;

 private:
  struct Info;
  PosixFile open_ready(const Key& key, int64_t size) const;
  bool is_whole(const Key& key, const PosixFile& file, int64_t size) const;
  bool take_room(const PosixFile& part, int64_t size) const;
  bool fetch_into(const PosixFile& part, const Key& key, int64_t size, const FetchFile& fetch) const;
  bool finish(const Key& key, const PosixFile& part, int64_t size) const;
  const CacheFolder& folder_;
};

}  // namespace penstock::remote
