#include "readers/remote/cache_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>

#include "core/check.h"
#include "readers/fingerprint.h"

namespace penstock::remote {
namespace {

// Of whole files: the file, what is known of it, and the one being fetched. Of packs: see cache_packs.h.
constexpr std::array<std::string_view, 6> kKinds = {"data", "info", "part", "pack", "idx", "room"};
// Those that processes lock as long as they use the entry.
constexpr std::array<std::string_view, 3> kLocked = {"data", "part", "room"};
constexpr size_t kDigits = 32;
constexpr uint64_t kVersion = 1;  // of all formats: entries of another one are never found, and are deleted some day

/// "<key>.<kind>", or an empty key.
struct Name {
  std::string_view key, kind;
};
Name parted(std::string_view name) {
  if (name.size() <= kDigits || name[kDigits] != '.') return {};
  const Name parts{name.substr(0, kDigits), name.substr(kDigits + 1)};
  const bool ours = parts.key.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
                    std::ranges::find(kKinds, parts.kind) != kKinds.end();
  return ours ? parts : Name{};
}

/// Calls visit(name) for the files of a folder that are the cache's.
template <class Visit>
void each_of(const std::string& path, Visit&& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), &::closedir);
  if (!folder) return;
  while (const dirent* one = ::readdir(folder.get()))
    if (const Name name = parted(one->d_name); !name.key.empty()) visit(name);
}

}  // namespace

std::string Key::text() const { return fmt::format("{:016x}{:016x}", a, b); }

Key key_of(std::initializer_list<std::string_view> texts) {
  Fingerprint first, second;
  first.add(kVersion);
  second.add(~kVersion);
  for (const std::string_view text : texts) first.add(text), second.add(text);
  return {first.value(), second.value()};
}

PosixFile open_entry(const std::string& path, int flags) {
  return PosixFile(::open(path.c_str(), flags | O_CLOEXEC, S_IRUSR | S_IWUSR));
}

bool lock_file(const PosixFile& file, int how) noexcept {
  int result = 0;
  do {
    result = ::flock(file.fd(), how);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

void warn_once(const std::string& text) {
  static std::mutex mutex;
  static auto* const told = new std::set<std::string>;  // never destroyed: threads may outlive static destruction
  const std::lock_guard lock(mutex);
  if (told->insert(text).second) std::fputs(fmt::format("penstock: warning: {}\n", text).c_str(), stderr);
}

CacheFolder::CacheFolder(std::string path, int64_t limit) : path_(std::move(path)), limit_(limit) {
  std::error_code error;
  const bool made = std::filesystem::create_directories(path_, error);
  if (made) ::chmod(path_.c_str(), S_IRWXU);  // what servers gave for these credentials is for this user alone
  PENSTOCK_CHECK(!error && ::access(path_.c_str(), R_OK | W_OK | X_OK) == 0, ArgumentError,
                 "PENSTOCK_CACHE_DIR is \"{}\", which cannot be written: {}", path_,
                 error ? error.message() : system_message(errno));
}

std::string CacheFolder::file(const Key& key, std::string_view kind) const { return file(key.text(), kind); }

std::string CacheFolder::file(const std::string& name, std::string_view kind) const {
  return fmt::format("{}/{}.{}", path_, name, kind);
}

std::vector<std::string> CacheFolder::names(std::string_view kind) const {
  std::vector<std::string> found;
  each_of(path_, [&](const Name& name) {
    if (name.kind == kind) found.emplace_back(name.key);
  });
  return found;
}

std::map<std::string, CacheFolder::Entry> CacheFolder::entries() const {
  std::map<std::string, Entry> all;
  each_of(path_, [&](const Name& name) {
    const std::string path = file(std::string(name.key), name.kind);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;  // deleted meanwhile
    Entry& entry = all[std::string(name.key)];
    if (name.kind == "room") {
      // Room that a process has taken for its pack, unless it is gone.
      const PosixFile room = open_entry(path, O_RDONLY);
      if (room.fd() >= 0 && lock_file(room, LOCK_EX | LOCK_NB))
        ::unlink(path.c_str());
      else
        entry.reserved = status.st_size;
      return;
    }
    entry.bytes += status.st_size;
    if (name.kind == "data") return;  // its time says whether it was changed; "info" is touched when it is used
    entry.last_use = std::max(entry.last_use, status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec);
  });
  return all;
}

bool CacheFolder::remove(const std::string& name) const {
  std::vector<PosixFile> held;
  for (const std::string_view kind : kLocked) {
    PosixFile used = open_entry(file(name, kind), O_RDONLY);
    if (used.fd() < 0) continue;
    if (!lock_file(used, LOCK_EX | LOCK_NB)) return false;
    held.push_back(std::move(used));
  }
  for (const std::string_view kind : kKinds) ::unlink(file(name, kind).c_str());
  return true;
}

bool CacheFolder::reserve(int64_t bytes, const std::function<void()>& take) const {
  if (bytes > limit_) return false;
  const PosixFile lock = open_entry(path_ + "/lock", O_RDWR | O_CREAT);
  if (lock.fd() < 0 || !lock_file(lock, LOCK_EX)) return false;
  int64_t total = bytes;
  std::vector<std::pair<int64_t, std::pair<std::string, int64_t>>> by_use;
  for (const auto& [name, entry] : entries()) {
    const int64_t taken = std::max(entry.bytes, entry.reserved);
    total += taken;
    by_use.push_back({entry.last_use, {name, taken}});
  }
  std::ranges::sort(by_use);
  for (const auto& [when, entry] : by_use) {
    if (total <= limit_) break;
    if (remove(entry.first)) total -= entry.second;
  }
  if (total > limit_) return false;
  take();
  return true;
}

CacheFolder::Fill CacheFolder::fill() const {
  Fill fill;
  for (const auto& [name, entry] : entries()) fill.bytes += entry.bytes, ++fill.entries;
  return fill;
}

}  // namespace penstock::remote
