// LMDB databases as a data set: all values in the order of their keys, read where they lie in the file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// One environment, opened for reading without locks. Values are views into the mapped file: nothing is copied.
class LmdbDatabase {
 public:
  struct Entry {
    const char* value;
    uint32_t value_size;
    uint32_t key;  ///< its size where it ends at the value, as LMDB lays records out; else where key_of() finds it
  };

  /// Opens the environment directory and lists its values, which reads the index pages but not the large values.
  /// @throws ArgumentError for a folder that is missing, DataError for one that holds no usable database
  explicit LmdbDatabase(std::string path);

  const std::string& path() const { return path_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::string_view key_of(const Entry& entry) const;

 private:
  void add(std::string_view key, std::string_view value);
  std::string path_;
  std::shared_ptr<void> handles_;
  std::vector<Entry> entries_;
  std::vector<std::string_view> far_keys_;  // of large values, which have pages of their own
};

/// A record and where it came from: views that are valid as long as the database is open.
struct LmdbRecord {
  std::string_view value, key, path;
};

/// Several databases, one behind the other. Immutable, safe to read from all threads.
class LmdbRecords {
 public:
  /// @throws ArgumentError for an empty list, DataError when there are no records, and what LmdbDatabase throws
  explicit LmdbRecords(const std::vector<std::string>& paths);

  int64_t size() const { return begins_.back(); }
  /// Record `index` of size(). @throws IndexError
  LmdbRecord at(int64_t index) const;
  /// Brings the record into memory and waits for it. @throws IndexError
  void will_need(int64_t index) const;
  /// Asks the processor for the first kilobyte of record `index`, key included, and for the place of record `later`.
  /// Nothing happens for indices of no record.
  void prefetch(int64_t index, int64_t later) const noexcept;
  /// Depends on keys and value sizes, in order.
  uint64_t fingerprint() const;

 private:
  /// The database that holds a record, whose index there takes the place of `index`.
  const LmdbDatabase& database_of(int64_t& index) const;
  std::vector<LmdbDatabase> databases_;
  std::vector<int64_t> begins_ = {0};
};

}  // namespace penstock
