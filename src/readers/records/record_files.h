// A data set of records that lie in files, found by an index of 16 bytes a record.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/check.h"
#include "readers/records/record_file.h"

namespace penstock {

/// A record and where it came from. Valid as long as the data set is open and the memory of a copy lives.
struct Record {
  std::string_view bytes, path;
  int64_t begin = 0;                    ///< in its file
  device::Pinnable* lies_in = nullptr;  ///< see PartialMap::pinnable()
};

/// Several files, one behind the other. Immutable, safe to read from all threads.
class RecordFiles {
 public:
  /// Compressed files together: the largest of them and all, in unpacked bytes, and the most records of one.
  struct Packed {
    int64_t most_bytes = 0, all_bytes = 0, most_records = 0;
  };
  /// Lists the records of the file paths[which]; called from several threads.
  using List = std::function<std::vector<Place>(size_t which, const PosixFile& file)>;

  /// @param in_place of the files together
  /// @param unit     places that make a sample
  /// @param lead     bytes before a place that are read with it
  /// @throws ArgumentError for no path or one that cannot be opened, DataError when there is no record, or one that is
  ///   not in its file, and what `list` throws; all name the file
  /// @param unpacked bytes of compressed files that are kept in memory; they are unpacked as a whole. 0: `list` has
  ///   refused them
  RecordFiles(const std::vector<std::string>& paths, InPlace in_place, const List& list, size_t unit = 1,
              int64_t lead = 0, size_t unpacked = 0);

  const Packed& packed() const { return packed_; }
  /// Samples, each of `unit` places.
  int64_t size() const { return begins_.back(); }
  /// @throws IndexError
  std::pair<const RecordFile*, std::span<const Place>> places(int64_t index) const;
  /// Bytes of the places of sample `index`. @throws IndexError
  int64_t bytes_of(int64_t index) const;
  const std::string& path(int64_t index) const { return places(index).first->path(); }
  /// Record `index` of size(); `room(n)` gives n bytes of memory, should there be something to copy.
  /// @throws IndexError, DataError
  template <class Room>
  Record at(int64_t index, Room&& room) const {
    const auto [file, all] = places(index);
    return {file->read(all[0], room), file->path(), all[0].begin, file->pinnable()};
  }
  /// Brings the sample's records into memory and waits for them. @throws IndexError, DataError
  void will_need(int64_t index) const;
  /// Asks the processor for the first kilobyte of sample `index`, and for the place of sample `later`. Nothing happens
  /// for indices of no sample.
  void prefetch(int64_t index, int64_t later) const noexcept;
  /// Depends on the names of the files, without folders, and on the places, in order.
  uint64_t fingerprint() const;

 private:
  std::span<const Place> places_in(size_t file, int64_t index) const {
    return std::span(places_[file]).subspan(static_cast<size_t>(index - begins_[file]) * unit_, unit_);
  }
  size_t file_of(int64_t index) const;
  size_t unit_;
  int64_t lead_;
  Packed packed_;
  std::vector<RecordFile> files_;
  std::vector<std::vector<Place>> places_;  // by file
  std::vector<int64_t> begins_ = {0};
};

}  // namespace penstock
