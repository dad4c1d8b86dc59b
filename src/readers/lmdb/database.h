// LMDB databases as a data set: all values in the order of their keys.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "readers/file/partial_map.h"

namespace penstock {

/// A record and where it came from. Valid as long as the database is open and the memory of a copy lives.
struct LmdbRecord {
  std::string_view value, key, path;
  device::Pinnable* lies_in = nullptr;  ///< see PartialMap::pinnable()
};

/// One environment, opened for reading without locks.
class LmdbDatabase {
 public:
  struct Entry {
    const char* value;  ///< in the mapped file, like the keys; to be read through record()
    uint32_t value_size;
    uint32_t key;  ///< its size where it ends at the value, as LMDB lays records out; else where key_of() finds it
  };

  /// Opens the environment directory and lists its values, which reads the index pages but not the large values.
  /// @throws ArgumentError for a folder that is missing, DataError for one that holds no usable database
  LmdbDatabase(std::string path, InPlace in_place);

  const std::string& path() const { return path_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const PartialMap& map() const { return map_; }
  /// Where the key lies in the mapped file.
  std::string_view key_of(const Entry& entry) const;
  /// `room(n)` gives n bytes of memory, should there be something to copy. @throws DataError
  template <class Room>
  LmdbRecord record(const Entry& entry, Room&& room) const {
    const std::string_view key = key_of(entry);
    const size_t size = entry.value_size;
    if (key.data() + key.size() != entry.value)
      return {map_.read({entry.value, size}, size, room), map_.read(key, size, room), path_, map_.pinnable()};
    const std::string_view both = map_.read({key.data(), key.size() + size}, size, room);
    return {both.substr(key.size()), both.substr(0, key.size()), path_, map_.pinnable()};
  }

 private:
  void add(std::string_view key, std::string_view value);
  std::string path_;
  std::shared_ptr<void> handles_;
  PartialMap map_;
  std::vector<Entry> entries_;
  std::vector<std::string_view> far_keys_;  // of large values, which have pages of their own
};

/// Several databases, one behind the other. Immutable, safe to read from all threads.
class LmdbRecords {
 public:
  /// @param in_place of their files together
  /// @throws ArgumentError for an empty list, DataError when there are no records, and what LmdbDatabase throws
  explicit LmdbRecords(const std::vector<std::string>& paths, InPlace in_place = InPlace::usual());

  int64_t size() const { return begins_.back(); }
  /// Record `index` of size(); `room(n)` gives n bytes of memory, should there be something to copy.
  /// @throws IndexError, DataError
  template <class Room>
  LmdbRecord at(int64_t index, Room&& room) const {
    const auto [database, entry] = place_of(index);
    return database->record(*entry, room);
  }
  /// The folder in which record `index` is. @throws IndexError
  const std::string& path(int64_t index) const { return place_of(index).first->path(); }
  /// Size of the value. @throws IndexError
  int64_t bytes_of(int64_t index) const { return place_of(index).second->value_size; }
  /// Brings the record into memory and waits for it. @throws IndexError
  void will_need(int64_t index) const;
  /// Asks the processor for the first kilobyte of record `index`, key included, and for the place of record `later`.
  /// Nothing happens for indices of no record.
  void prefetch(int64_t index, int64_t later) const noexcept;
  /// Depends on keys and value sizes, in order.
  uint64_t fingerprint() const;

 private:
  std::pair<const LmdbDatabase*, const LmdbDatabase::Entry*> place_of(int64_t index) const;
  std::vector<LmdbDatabase> databases_;
  std::vector<int64_t> begins_ = {0};
};

}  // namespace penstock
