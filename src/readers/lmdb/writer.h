// Makes LMDB databases.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

/// Writes one new environment. Nothing is to be seen of it before finish(): then it is complete.
class LmdbWriter {
 public:
  enum class Begun { kDiscard, kResume };
  /// Makes the directory when it is not there. What another writer began there and did not finish is discarded, or gone
  /// on with; then this one leaves it, too. @throws ArgumentError when it holds a database already
  explicit LmdbWriter(const std::string& directory, Begun begun = Begun::kDiscard);
  ~LmdbWriter();
  LmdbWriter(const LmdbWriter&) = delete;
  LmdbWriter& operator=(const LmdbWriter&) = delete;

  /// Keys must come in ascending order and have 1 to 511 bytes. @throws DataError (when the batch is written, so maybe
  /// at a later call)
  void append(std::string_view key, std::string value);
  /// Records that were appended, here and by writers before.
  int64_t size() const { return size_; }
  /// Makes sure that a writer to come finds what was appended. @throws DataError
  void save() { write_pending(); }
  /// Writes what is left, brings it to the disk and gives the database its name. @throws DataError
  void finish();

 private:
  struct Env;
  void write_pending();
  int64_t records_there();
  int write_transaction();
  std::string target_, partial_;
  std::unique_ptr<Env> env_;
  Begun begun_;
  size_t map_size_;
  int64_t size_ = 0;
  std::vector<std::pair<std::string, std::string>> pending_;
  size_t pending_bytes_ = 0;
};

}  // namespace penstock
