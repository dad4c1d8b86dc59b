#include "readers/remote/cache_packs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>

#include "core/check.h"
#include "readers/tfrecord/crc32c.h"

namespace penstock::remote {
namespace {

using std::chrono::steady_clock;

constexpr int64_t kLargestPack = int64_t{64} << 20;
// How often a process looks for what others have written, and tells that it uses a pack.
constexpr std::chrono::milliseconds kLookEvery{20}, kTouchEvery{10'000};
// Without room it is asked for anew after that time.
constexpr std::chrono::seconds kTryAgain{10};

}  // namespace

struct CachePacks::Record {
  Key key;
  int64_t begin = 0, size = 0;
  uint32_t sum = 0, check = 0;

  uint32_t right_check() const { return crc32c({reinterpret_cast<const char*>(this), offsetof(Record, check)}); }
};

struct CachePacks::Own {
  uint32_t which = 0;
  PosixFile pack, idx, room;
  std::string room_path;
  int64_t used = 0, limit = 0;
  pid_t process = ::getpid();

  ~Own() {
    if (process == ::getpid() && room.fd() >= 0) ::unlink(room_path.c_str());
  }
};

CachePacks::CachePacks(const CacheFolder& folder)
    : folder_(folder), pack_size_(std::min(kLargestPack, folder.limit() / 16)) {
  look_again();
}

std::string CachePacks::path_of(uint32_t which, std::string_view kind) {
  return folder_.file(packs_[which].name, kind);
}

void CachePacks::look_again() {
  looked_ = steady_clock::now();
  struct stat status {};
  if (::stat(folder_.path().c_str(), &status) != 0) return;
  const int64_t changed = status.st_mtim.tv_sec * int64_t{1'000'000'000} + status.st_mtim.tv_nsec;
  if (changed != changed_) {
    // A pack is listed as one that is being written before its list is read for the last time.
    std::unordered_set<std::string> rooms, names;
    for (std::string& name : folder_.names("room")) rooms.insert(std::move(name));
    for (std::string& name : folder_.names("idx")) names.insert(std::move(name));
    for (const std::string& name : names)
      if (known_.insert(name).second) packs_.push_back({.name = name});
    for (Pack& pack : packs_) pack.is_open = rooms.contains(pack.name), pack.gone = !names.contains(pack.name);
    // Clocks of file systems tick each few milliseconds: what was made since in the same tick is seen the next time.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    constexpr std::chrono::milliseconds kTick{100};
    changed_ = now - std::chrono::nanoseconds(changed) > kTick ? changed : -1;
  }
  for (uint32_t which = 0; which < packs_.size(); ++which) {
    Pack& pack = packs_[which];
    if (pack.gone || pack.complete) continue;
    list(which);
    pack.complete = !pack.is_open;
  }
}

/// Reads what was added to a list since.
void CachePacks::list(uint32_t which) {
  Pack& pack = packs_[which];
  const std::string path = path_of(which, "idx");
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    pack.gone = true;
    return;
  }
  const auto whole = static_cast<int64_t>(status.st_size / sizeof(Record));
  const auto count = static_cast<size_t>(whole - pack.listed);
  if (whole <= pack.listed) return;
  std::vector<Record> records(count);
  try {
    const PosixFile file = open_entry(path, O_RDONLY);
    if (file.fd() < 0) return;
    file.read(std::as_writable_bytes(std::span(records)), pack.listed * static_cast<int64_t>(sizeof(Record)));
  } catch (const DataError&) {
    return;
  }
  pack.listed = whole;
  for (const Record& record : records)
    if (record.check == record.right_check() && record.begin >= 0 && record.size >= 0)
      places_[record.key] = {which, record.sum, record.begin, record.size};
}

std::optional<CachePacks::Place> CachePacks::place_of(const Key& key) {
  for (const bool again : {false, true}) {
    if (again) {
      if (steady_clock::now() - looked_ < kLookEvery) return {};
      look_again();
    }
    if (const auto found = places_.find(key); found != places_.end() && !packs_[found->second.pack].gone)
      return found->second;
  }
  return {};
}

void CachePacks::touch(Pack& pack) {
  const auto now = steady_clock::now();
  if (pack.touched != steady_clock::time_point() && now - pack.touched < kTouchEvery) return;
  pack.touched = now;
  ::utimensat(AT_FDCWD, folder_.file(pack.name, "pack").c_str(), nullptr, 0);
}

void CachePacks::forget(const Key& key, const Place& place, bool damaged) {
  std::string name;
  {
    const std::lock_guard lock(mutex_);
    places_.erase(key);
    if (!damaged) packs_[place.pack].gone = true;
    name = packs_[place.pack].name;
    if (!damaged) return;
  }
  warn_once(fmt::format("an entry of the cache is damaged and is fetched again: {}", folder_.file(name, "pack")));
  folder_.remove(name);  // others of its entries may be, too
}

std::optional<std::string> CachePacks::find(const Key& key) {
  Place place;
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    const auto found = place_of(key);
    if (!found) return {};
    place = *found;
    path = path_of(place.pack, "pack");
    touch(packs_[place.pack]);
  }
  const PosixFile file = open_entry(path, O_RDONLY);
  struct stat status {};
  if (file.fd() < 0 || ::fstat(file.fd(), &status) != 0) return forget(key, place, false), std::nullopt;
  if (status.st_size < place.begin || status.st_size - place.begin < place.size)
    return forget(key, place, true), std::nullopt;
  std::string bytes(static_cast<size_t>(place.size), '\0');
  try {
    file.read(std::as_writable_bytes(std::span(bytes)), place.begin);
    if (crc32c(bytes) == place.sum) return bytes;
  } catch (const DataError&) {
    // as one that is damaged
  }
  forget(key, place, true);
  return {};
}

bool CachePacks::will_need(const Key& key) {
  std::optional<Place> place;
  std::string path;
  {
    const std::lock_guard lock(mutex_);
    place = place_of(key);
    if (!place) return false;
    path = path_of(place->pack, "pack");
  }
  const PosixFile file = open_entry(path, O_RDONLY);
  if (file.fd() < 0) return forget(key, *place, false), false;
  if (place->size > 0) file.will_need(place->begin, place->size);
  return true;
}

std::shared_ptr<CachePacks::Own> CachePacks::start_pack(int64_t size) {
  // A name that no other process draws.
  std::random_device device;
  const auto drawn = [&] { return uint64_t{device()} << 32 | device(); };
  const std::string name = Key{drawn(), drawn()}.text();
  auto own = std::make_shared<Own>();
  own->limit = std::max(size, pack_size_);
  own->room_path = folder_.file(name, "room");
  int error = 0;
  const bool room = folder_.reserve(own->limit, [&] {
    constexpr int kNew = O_RDWR | O_CREAT | O_EXCL;
    own->room = open_entry(own->room_path, kNew);
    own->pack = open_entry(folder_.file(name, "pack"), kNew);
    own->idx = open_entry(folder_.file(name, "idx"), kNew | O_APPEND);
    const bool good =
        own->idx.fd() >= 0 && lock_file(own->room, LOCK_EX) && ::ftruncate(own->room.fd(), own->limit) == 0;
    if (!good) error = errno;
  });
  full_ = steady_clock::now();
  if (!room || error != 0) {
    if (error != 0)
      warn_once(fmt::format("goes on without adding to the cache in {}: {}", folder_.path(), system_message(error)));
    return nullptr;
  }
  full_ = {};
  own->which = static_cast<uint32_t>(packs_.size());
  packs_.push_back({.name = name});
  known_.insert(name);
  return own;
}

/// A pack that has room, or none.
std::shared_ptr<CachePacks::Own> CachePacks::own_for(int64_t size) {
  // Parent and child would write to the same places.
  if (own_ && own_->process != ::getpid()) own_.reset();
  if (own_ && own_->used + size <= own_->limit) return own_;
  if (full_ != steady_clock::time_point() && steady_clock::now() - full_ < kTryAgain) return nullptr;
  own_.reset();
  return own_ = start_pack(size);
}

void CachePacks::put(const Key& key, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (place_of(key)) return;
  }
  write(key, bytes);
}

void CachePacks::renew(const Key& key, std::string_view bytes) { write(key, bytes); }

void CachePacks::write(const Key& key, std::string_view bytes) {
  if (read_only_) return;
  const auto size = static_cast<int64_t>(bytes.size());
  std::shared_ptr<Own> own;
  int64_t begin = 0;
  {
    const std::lock_guard lock(mutex_);
    own = own_for(size);
    if (!own) return;
    begin = own->used;
    own->used += size;
  }
  Record record{.key = key, .begin = begin, .size = size, .sum = crc32c(bytes)};
  record.check = record.right_check();
  const std::string_view line(reinterpret_cast<const char*>(&record), sizeof record);
  try {
    own->pack.write(std::as_bytes(std::span(bytes)), begin);
    PENSTOCK_CHECK(::write(own->idx.fd(), line.data(), line.size()) == ssize_t{sizeof record}, DataError,
                   "cannot write the file: {}", system_message(errno));
  } catch (const DataError& e) {
    warn_once(fmt::format("goes on without adding to the cache in {}: {}", folder_.path(), e.message()));
    read_only_ = true;
    return;
  }
  const std::lock_guard lock(mutex_);
  places_[key] = {own->which, record.sum, begin, size};
}

}  // namespace penstock::remote
