// What this machine keeps of files on servers.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "readers/remote/cache_files.h"
#include "readers/remote/cache_folder.h"
#include "readers/remote/cache_packs.h"

namespace penstock::remote {

/// A version of a file: an address, of which the server told ETag and size.
struct FileVersion {
  std::string address, etag;
  int64_t size = 0;
};

/// What a server answered when a file was opened: its version, and its first bytes.
struct Opening {
  FileVersion version;
  std::chrono::sys_seconds when;
  std::string head;
};

class Cache {
 public:
  /// That of the environment: PENSTOCK_CACHE_DIR, PENSTOCK_CACHE_BYTES ("500G"; half of the file system's size where
  /// it is not set), PENSTOCK_CACHE ("ranges" or "files") and PENSTOCK_CACHE_SECONDS. Null where there is no folder.
  /// @throws ArgumentError for values that make no sense
  static std::shared_ptr<Cache> get();

  struct Settings {
    std::string folder;
    int64_t limit = 0;
    bool whole_files = false;
    std::chrono::seconds trusted{86400};
    friend bool operator==(const Settings&, const Settings&) = default;
  };
  explicit Cache(const Settings& settings);

  const CacheFolder& folder() const { return folder_; }
  /// What opening the file last gave, when the server was asked for `first` bytes.
  std::optional<Opening> opening(const std::string& address, int64_t first);
  /// In place of an older one, or only where there is none.
  void keep_opening(int64_t first, const Opening& opening, bool replaces);
  /// Whether the server need not be asked whether it is still so.
  bool is_trusted(const Opening& opening) const;

  /// A range of a file.
  std::optional<std::string> range(const FileVersion& version, int64_t begin, int64_t size);
  bool will_need(const FileVersion& version, int64_t begin, int64_t size);
  void keep_range(const FileVersion& version, int64_t begin, std::string_view bytes);

  bool keeps_whole_files() const { return settings_.whole_files; }
  /// As CacheFiles::open.
  PosixFile file(const FileVersion& version, const FetchFile& fetch) const;

 private:
  Settings settings_;
  CacheFolder folder_;
  CachePacks packs_;
  CacheFiles files_;
};

/// "500G" -> 500,000,000,000: digits, and K, M, G or T for powers of a thousand. @throws ArgumentError naming `what`
int64_t bytes_of(const std::string& text, const char* what);

}  // namespace penstock::remote
