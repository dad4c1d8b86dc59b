#include "readers/remote/cache_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <optional>
#include <string>

#include "core/check.h"
#include "core/whole_file.h"
#include "readers/tfrecord/crc32c.h"

namespace penstock::remote {
namespace {

/// Differs after each start of the machine: what was written just before it stopped may not have reached the disk.
uint64_t this_start() {
  static const uint64_t value = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    return key_of({text}).a;
  }();
  return value;
}

int64_t change_of(const PosixFile& file) {
  struct stat status {};
  ::fstat(file.fd(), &status);
  return status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
}

void warn_full(const CacheFolder& folder, int error) {
  warn_once(fmt::format("goes on without adding to the cache in {}: {}", folder.path(), system_message(error)));
}

/// Whether that is still the name of the open file.
bool is_at(const PosixFile& file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file.fd(), &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

/// @throws DataError
uint32_t sum_of(const PosixFile& file, int64_t size) {
  constexpr int64_t kPiece = int64_t{1} << 20;
  std::string piece;
  uint32_t sum = 0;
  for (int64_t at = 0; at < size; at += kPiece) {
    piece.resize(static_cast<size_t>(std::min(kPiece, size - at)));
    file.read(std::as_writable_bytes(std::span(piece)), at);
    // Of the pieces' sums: a sum that goes on over pieces needs another function.
    const uint32_t both[2] = {sum, crc32c(piece)};
    sum = crc32c({reinterpret_cast<const char*>(both), sizeof both});
  }
  return sum;
}

}  // namespace

struct CacheFiles::Info {
  int64_t size = 0, changed = 0;  // when the file was last, in ns
  uint64_t start = 0;             // of the machine, since when the sum is known to be right
  uint32_t sum = 0, check = 0;

  uint32_t right_check() const { return crc32c({reinterpret_cast<const char*>(this), offsetof(Info, check)}); }
  bool write(const std::string& path) {
    check = right_check();
    const std::string beside = name_beside(path);
    const PosixFile file = open_entry(beside, O_RDWR | O_CREAT | O_TRUNC);
    const bool good = ::write(file.fd(), this, sizeof *this) == ssize_t{sizeof *this};
    if (good && ::rename(beside.c_str(), path.c_str()) == 0) return true;
    ::unlink(beside.c_str());
    return false;
  }
  static std::optional<Info> read(const std::string& path) {
    Info info;
    const PosixFile file = open_entry(path, O_RDONLY);
    const bool good = file.fd() >= 0 && ::pread(file.fd(), &info, sizeof info, 0) == ssize_t{sizeof info};
    return good && info.check == info.right_check() ? std::optional(info) : std::nullopt;
  }
};

/// Whether it is as it was fetched. Its bytes are read where it was changed since, or the machine was started anew.
bool CacheFiles::is_whole(const Key& key, const PosixFile& file, int64_t size) const {
  const std::string path = folder_.file(key, "info");
  std::optional<Info> info = Info::read(path);
  struct stat status {};
  if (::fstat(file.fd(), &status) != 0 || status.st_size != size || !info || info->size != size) return false;
  if (info->changed == change_of(file) && info->start == this_start()) {
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
    return true;
  }
  try {
    if (sum_of(file, size) != info->sum) return false;
  } catch (const DataError&) {
    return false;
  }
  info->changed = change_of(file);
  info->start = this_start();
  info->write(path);
  return true;
}

/// The entry if it is there, locked for this process.
PosixFile CacheFiles::open_ready(const Key& key, int64_t size) const {
  const std::string path = folder_.file(key, "data");
  PosixFile file = open_entry(path, O_RDONLY);
  struct stat status {};
  if (file.fd() < 0 || !lock_file(file, LOCK_SH)) return {};
  if (::fstat(file.fd(), &status) != 0 || status.st_nlink == 0) return {};  // deleted before it was locked
  if (is_whole(key, file, size)) return file;
  warn_once(fmt::format("a file of the cache is damaged and is fetched again: {}", path));
  ::unlink(path.c_str());
  return {};
}

bool CacheFiles::take_room(const PosixFile& part, int64_t size) const {
  // What a process that was ended has left there.
  int error = ::ftruncate(part.fd(), 0) == 0 ? 0 : errno;
  const bool room = folder_.reserve(size, [&] {
    if (::ftruncate(part.fd(), size) != 0) error = errno;
    // File systems that cannot say so beforehand say later that the disk is full.
    if (error == 0 && ::fallocate(part.fd(), 0, 0, size) != 0 && errno == ENOSPC) error = ENOSPC;
  });
  if (error != 0) {
    if (::ftruncate(part.fd(), 0) != 0) error = errno;
    warn_full(folder_, error);
  }
  return room && error == 0;
}

/// What was fetched becomes the entry.
bool CacheFiles::finish(const Key& key, const PosixFile& part, int64_t size) const {
  Info info{.size = size, .changed = change_of(part), .start = this_start(), .sum = sum_of(part, size)};
  return info.write(folder_.file(key, "info")) &&
         ::rename(folder_.file(key, "part").c_str(), folder_.file(key, "data").c_str()) == 0;
}

PosixFile CacheFiles::open(const Key& key, int64_t size, const FetchFile& fetch) const {
  if (size > folder_.limit() || size == 0) return {};
  const std::string path = folder_.file(key, "part");
  while (true) {
    if (PosixFile ready = open_ready(key, size); ready.fd() >= 0) return ready;
    const PosixFile part = open_entry(path, O_RDWR | O_CREAT);
    if (part.fd() < 0 || !lock_file(part, LOCK_EX)) return {};  // waits for a process that is fetching it
    if (!is_at(part, path)) continue;                           // that process has fetched it: it is the entry now
    if (open_ready(key, size).fd() >= 0) {
      ::unlink(path.c_str());
      continue;
    }
    if (!fetch_into(part, key, size, fetch)) {
      ::unlink(path.c_str());
      return {};
    }
    break;
  }
  return open_ready(key, size);
}

/// Whether the file is there now. False without room.
bool CacheFiles::fetch_into(const PosixFile& part, const Key& key, int64_t size, const FetchFile& fetch) const {
  if (!take_room(part, size)) return false;
  try {
    if (!fetch(part)) {
      warn_full(folder_, ENOSPC);
      return false;
    }
  } catch (...) {
    ::unlink(folder_.file(key, "part").c_str());
    throw;
  }
  return finish(key, part, size);
}

}  // namespace penstock::remote
