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
  /// Makes the directory when it is not there. @throws ArgumentError when it holds a database already
  explicit LmdbWriter(const std::string& directory);
  ~LmdbWriter();
  LmdbWriter(const LmdbWriter&) = delete;
  LmdbWriter& operator=(const LmdbWriter&) = delete;

  /// Keys must come in ascending order and have 1 to 511 bytes. @throws DataError (when the batch is written, so maybe
  /// at a later call)
  void append(std::string_view key, std::string value);
  /// Writes what is left, brings it to the disk and gives the database its name. @throws DataError
  void finish();

 private:
  struct Env;
  void write_pending();
  int write_transaction();
  std::string target_, partial_;
  std::unique_ptr<Env> env_;
  size_t map_size_;
  std::vector<std::pair<std::string, std::string>> pending_;
  size_t pending_bytes_ = 0;
};

}  // namespace penstock
