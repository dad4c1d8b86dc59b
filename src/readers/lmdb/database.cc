#include "readers/lmdb/database.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/check.h"
#include "readers/fingerprint.h"

namespace penstock {
namespace {

constexpr uint32_t kFar = uint32_t{1} << 31;  // in Entry::key; LMDB has no key of that size

struct CloseEnv {
  void operator()(MDB_env* env) const { ::mdb_env_close(env); }
};
struct AbortTxn {
  void operator()(MDB_txn* txn) const { ::mdb_txn_abort(txn); }
};
struct CloseCursor {
  void operator()(MDB_cursor* cursor) const { ::mdb_cursor_close(cursor); }
};

void check_lmdb(int code, const std::string& path) {
  PENSTOCK_CHECK(code == MDB_SUCCESS, DataError, "LMDB Error: {}, with file: {}", ::mdb_strerror(code), path);
}

struct DataFile {
  mdb_filehandle_t fd;
  size_t size, page_size;
};

DataFile file_of(MDB_env* env, const std::string& path) {
  mdb_filehandle_t fd;
  MDB_stat statistics;
  struct stat status {};
  check_lmdb(::mdb_env_stat(env, &statistics), path);
  check_lmdb(::mdb_env_get_fd(env, &fd), path);
  PENSTOCK_CHECK(::fstat(fd, &status) == 0, DataError, "LMDB Error: cannot ask for the size of {}", path);
  return {fd, static_cast<size_t>(status.st_size), statistics.ms_psize};
}

/// LMDB does not tell where its mapping begins, but each of its pages begins with its number. Null where the pages are
/// not laid out as LMDB 0.9 does it.
const char* beginning(const DataFile& file, const void* in_page) {
  const char* page = static_cast<const char*>(in_page);
  page -= reinterpret_cast<uintptr_t>(page) % file.page_size;
  size_t number;
  std::memcpy(&number, page, sizeof(number));
  if (number >= file.size / file.page_size) return nullptr;
  std::vector<char> same(file.page_size);
  const auto at = static_cast<off_t>(number * file.page_size);
  if (::pread(file.fd, same.data(), same.size(), at) != static_cast<ssize_t>(same.size())) return nullptr;
  return std::memcmp(same.data(), page, same.size()) == 0 ? page - number * file.page_size : nullptr;
}

/// A page behind the end of the file would end the process with SIGBUS when it is touched.
void check_complete(MDB_env* env, const std::string& path) {
  MDB_envinfo info;
  check_lmdb(::mdb_env_info(env, &info), path);
  const DataFile file = file_of(env, path);
  const uint64_t pages = file.size / file.page_size;
  PENSTOCK_CHECK(
      info.me_last_pgno < pages, DataError,
      "LMDB database {} is truncated: its data file has {} pages of {} bytes, page {} is in use; copy it again", path,
      pages, file.page_size, info.me_last_pgno);
}

// Members are destroyed from the last to the first: the transaction must end before its environment closes.
struct Handles {
  std::unique_ptr<MDB_env, CloseEnv> env;
  std::unique_ptr<MDB_txn, AbortTxn> txn;
};

std::shared_ptr<Handles> open_environment(const std::string& path) {
  auto handles = std::make_shared<Handles>();
  MDB_env* env = nullptr;
  check_lmdb(::mdb_env_create(&env), path);
  handles->env.reset(env);
  const int opened = ::mdb_env_open(env, path.c_str(), MDB_RDONLY | MDB_NOLOCK | MDB_NOTLS, 0);
  PENSTOCK_CHECK(opened != ENOENT, ArgumentError,
                 "LMDB Error: No such file or directory, with file: {}; `path` names the folder that holds data.mdb",
                 path);
  // LMDB says "Invalid argument" for a file that is shorter than its two head pages.
  PENSTOCK_CHECK(opened != MDB_INVALID && opened != EINVAL, DataError,
                 "LMDB Error: not an LMDB database, with file: {}", path);
  check_lmdb(opened, path);
  check_complete(env, path);
  MDB_txn* txn = nullptr;
  check_lmdb(::mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn), path);
  handles->txn.reset(txn);
  return handles;
}

}  // namespace

LmdbDatabase::LmdbDatabase(std::string path, InPlace in_place) : path_(std::move(path)) {
  const std::shared_ptr<Handles> handles = open_environment(path_);
  MDB_txn* txn = handles->txn.get();
  handles_ = handles;
  MDB_dbi table;
  check_lmdb(::mdb_dbi_open(txn, nullptr, 0, &table), path_);
  MDB_stat statistics;
  check_lmdb(::mdb_stat(txn, table, &statistics), path_);
  MDB_cursor* opened_cursor = nullptr;
  check_lmdb(::mdb_cursor_open(txn, table, &opened_cursor), path_);
  const std::unique_ptr<MDB_cursor, CloseCursor> cursor(opened_cursor);
  MDB_val key, value;
  int code = ::mdb_cursor_get(cursor.get(), &key, &value, MDB_FIRST);
  if (code == MDB_SUCCESS) {
    const DataFile file = file_of(handles->env.get(), path_);
    PosixFile own(::fcntl(file.fd, F_DUPFD_CLOEXEC, 0));
    PENSTOCK_CHECK(own.fd() >= 0, DataError, "too many open files; raise the limit (ulimit -n)");
    map_ = PartialMap(std::move(own), beginning(file, key.mv_data), file.size, in_place);
  }
  PartialMap::Walk walk(map_);
  for (; code == MDB_SUCCESS; code = ::mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT)) {
    add({static_cast<const char*>(key.mv_data), key.mv_size}, {static_cast<const char*>(value.mv_data), value.mv_size});
    walk.visit(static_cast<const char*>(key.mv_data));
  }
  if (code != MDB_NOTFOUND) check_lmdb(code, path_);
  PENSTOCK_CHECK(entries_.size() == statistics.ms_entries, DataError,
                 "LMDB database {} is damaged: it says that it has {} entries, {} were found", path_,
                 statistics.ms_entries, entries_.size());
}

void LmdbDatabase::add(std::string_view key, std::string_view value) {
  auto where = static_cast<uint32_t>(key.size());
  if (key.data() + key.size() != value.data()) {
    where = kFar | static_cast<uint32_t>(far_keys_.size());
    far_keys_.push_back(key);
  }
  entries_.push_back({value.data(), static_cast<uint32_t>(value.size()), where});
}

std::string_view LmdbDatabase::key_of(const Entry& entry) const {
  return (entry.key & kFar) != 0 ? far_keys_[entry.key & ~kFar] : std::string_view{entry.value - entry.key, entry.key};
}

LmdbRecords::LmdbRecords(const std::vector<std::string>& paths, InPlace in_place) {
  PENSTOCK_CHECK(!paths.empty(), ArgumentError, "`path` is an empty list; name at least one LMDB folder");
  in_place = {in_place.front / paths.size(), in_place.large_front / paths.size()};
  for (const std::string& path : paths) {
    databases_.emplace_back(path, in_place);
    begins_.push_back(begins_.back() + static_cast<int64_t>(databases_.back().entries().size()));
  }
  PENSTOCK_CHECK(size() > 0, DataError, "no records found in LMDB {}", fmt::join(paths, ", "));
}

std::pair<const LmdbDatabase*, const LmdbDatabase::Entry*> LmdbRecords::place_of(int64_t index) const {
  PENSTOCK_CHECK(index >= 0 && index < size(), IndexError, "record {} of {}", index, size());
  const auto next = std::upper_bound(begins_.begin(), begins_.end(), index);
  const auto which = static_cast<size_t>(next - begins_.begin() - 1);
  return {&databases_[which], &databases_[which].entries()[static_cast<size_t>(index - begins_[which])]};
}

void LmdbRecords::prefetch(int64_t index, int64_t later) const noexcept {
  constexpr size_t kLine = 64,
                   kFirst = 1024;  // where a record goes on, the processor has seen that it is read in order
  if (later >= 0 && later < size()) __builtin_prefetch(place_of(later).second);
  if (index < 0 || index >= size()) return;
  const auto [database, entry] = place_of(index);
  if (!database->map().in_place({entry->value, entry->value_size}, entry->value_size)) return;
  __builtin_prefetch(database->key_of(*entry).data());
  for (size_t at = 0; at < std::min<size_t>(entry->value_size, kFirst); at += kLine)
    __builtin_prefetch(entry->value + at);
}

void LmdbRecords::will_need(int64_t index) const {
  const auto [database, entry] = place_of(index);
  database->map().will_need({entry->value, entry->value_size});
}

uint64_t LmdbRecords::fingerprint() const {
  Fingerprint all;
  for (const LmdbDatabase& database : databases_) {
    PartialMap::Walk walk(database.map());
    for (const LmdbDatabase::Entry& entry : database.entries()) {
      const std::string_view key = database.key_of(entry);
      all.add(key);
      all.add(entry.value_size);
      walk.visit(key.data());
    }
  }
  return all.value();
}

}  // namespace penstock
