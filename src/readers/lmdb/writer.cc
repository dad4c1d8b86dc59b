#include "readers/lmdb/writer.h"

#include <lmdb.h>

#include <filesystem>

#include "core/check.h"

namespace penstock {
namespace {

constexpr size_t kFirstMap = size_t{64} << 20;
constexpr size_t kTransactionBytes = size_t{16} << 20;

}  // namespace

struct LmdbWriter::Env {
  Env() { PENSTOCK_CHECK(::mdb_env_create(&env) == MDB_SUCCESS, OutOfMemory, "cannot make an LMDB environment"); }
  ~Env() { ::mdb_env_close(env); }
  Env(const Env&) = delete;
  Env& operator=(const Env&) = delete;
  MDB_env* env = nullptr;
};

LmdbWriter::LmdbWriter(const std::string& directory, Begun begun)
    : target_(directory + "/data.mdb"),
      partial_(target_ + ".part"),
      env_(std::make_unique<Env>()),
      begun_(begun),
      map_size_(kFirstMap) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  PENSTOCK_CHECK(!error, ArgumentError, "cannot make the folder {}: {}", directory, error.message());
  PENSTOCK_CHECK(!std::filesystem::exists(target_), ArgumentError,
                 "{} exists already; name an empty folder or remove the file", target_);
  if (begun == Begun::kDiscard) std::filesystem::remove(partial_, error);
  const auto there = static_cast<size_t>(std::filesystem::exists(partial_) ? std::filesystem::file_size(partial_) : 0);
  while (map_size_ < there) map_size_ *= 2;
  ::mdb_env_set_mapsize(env_->env, map_size_);
  // No other process knows the file yet, and finish() brings it to the disk as a whole: neither lock nor sync.
  const int code = ::mdb_env_open(env_->env, partial_.c_str(), MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0644);
  PENSTOCK_CHECK(code == MDB_SUCCESS, ArgumentError, "cannot write {}: {}", partial_, ::mdb_strerror(code));
  size_ = records_there();
}

int64_t LmdbWriter::records_there() {
  MDB_stat stat{};
  PENSTOCK_CHECK(::mdb_env_stat(env_->env, &stat) == MDB_SUCCESS, ArgumentError,
                 "cannot go on with {}: it is damaged; remove it to begin anew", partial_);
  return static_cast<int64_t>(stat.ms_entries);
}

LmdbWriter::~LmdbWriter() {
  if (!env_) return;
  env_.reset();
  if (begun_ == Begun::kResume) return;
  std::error_code ignored;
  std::filesystem::remove(partial_, ignored);
}

void LmdbWriter::append(std::string_view key, std::string value) {
  pending_bytes_ += key.size() + value.size();
  pending_.emplace_back(key, std::move(value));
  ++size_;
  if (pending_bytes_ >= kTransactionBytes) write_pending();
}

void LmdbWriter::write_pending() {
  int code;
  while ((code = write_transaction()) == MDB_MAP_FULL) {
    map_size_ *= 2;
    ::mdb_env_set_mapsize(env_->env, map_size_);
  }
  PENSTOCK_CHECK(code == MDB_SUCCESS, DataError, "cannot write {}: {}", partial_,
                 code == MDB_KEYEXIST ? "keys do not come in ascending order" : ::mdb_strerror(code));
  pending_.clear();
  pending_bytes_ = 0;
}

int LmdbWriter::write_transaction() {
  MDB_txn* txn = nullptr;
  if (const int code = ::mdb_txn_begin(env_->env, nullptr, 0, &txn)) return code;
  MDB_dbi table;
  int code = ::mdb_dbi_open(txn, nullptr, 0, &table);
  for (size_t i = 0; code == MDB_SUCCESS && i < pending_.size(); ++i) {
    auto& [key, value] = pending_[i];
    MDB_val k{key.size(), key.data()}, v{value.size(), value.data()};
    code = ::mdb_put(txn, table, &k, &v, MDB_APPEND);
  }
  if (code == MDB_SUCCESS) return ::mdb_txn_commit(txn);
  ::mdb_txn_abort(txn);
  return code;
}

void LmdbWriter::finish() {
  write_pending();
  const int code = ::mdb_env_sync(env_->env, 1);
  PENSTOCK_CHECK(code == MDB_SUCCESS, DataError, "cannot bring {} to the disk: {}", partial_, ::mdb_strerror(code));
  std::error_code error;
  std::filesystem::rename(partial_, target_, error);
  PENSTOCK_CHECK(!error, DataError, "cannot rename {} to {}: {}", partial_, target_, error.message());
  env_.reset();
}

}  // namespace penstock
