// The folder of the cache, which the processes of a computer share: what lies there, and room for more.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "readers/file/posix_file.h"

namespace penstock::remote {

/// What an entry is found by: a hash of all that tells it from others.
struct Key {
  uint64_t a = 0, b = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
  /// 32 hexadecimal digits.
  std::string text() const;
};

/// The key of what these texts say together.
Key key_of(std::initializer_list<std::string_view> texts);

/// Opens a file of this process alone to write it, or whatever `flags` say. No file behind it where that fails: errno
/// says why.
PosixFile open_entry(const std::string& path, int flags);
/// Locks an open file against other processes (flock): LOCK_SH or LOCK_EX, with LOCK_NB without waiting.
bool lock_file(const PosixFile& file, int how) noexcept;

/// Tells the user once for each text what the cache met; the program goes on.
void warn_once(const std::string& text);

/// Entries are files "<key>.<kind>"; several with one key belong together. Files of other names are left alone. Any
/// thread and process.
class CacheFolder {
 public:
  /// Makes the folder. @throws ArgumentError where it cannot be written
  CacheFolder(std::string path, int64_t limit);

  const std::string& path() const { return path_; }
  int64_t limit() const { return limit_; }
  std::string file(const Key& key, std::string_view kind) const;
  /// Keys that have a file of that kind.
  std::vector<std::string> names(std::string_view kind) const;
  std::string file(const std::string& name, std::string_view kind) const;

  /// Deletes what was used longest ago until there is room for `bytes`; then `take()` makes the file that takes it,
  /// before any other process looks. False where there is no room: for what others are using, or beyond the limit.
  bool reserve(int64_t bytes, const std::function<void()>& take) const;
  /// Deletes an entry unless some process is using it.
  bool remove(const std::string& name) const;

  struct Fill {
    int64_t bytes = 0, entries = 0;
  };
  Fill fill() const;

 private:
  struct Entry {
    int64_t bytes = 0, reserved = 0;
    int64_t last_use = 0;  // in ns
  };
  std::map<std::string, Entry> entries() const;
  std::string path_;
  int64_t limit_;
};

}  // namespace penstock::remote
