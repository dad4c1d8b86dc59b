// One file that holds records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "readers/file/mapping.h"
#include "readers/file/partial_map.h"
#include "readers/records/group_cache.h"
#include "readers/records/unpacked.h"

namespace penstock {

/// Where in its file a record lies, in bytes.
struct Place {
  int64_t begin = 0, size = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

/// A compressed file that is unpacked as a whole when a record of it is needed.
struct PackedFile {
  std::shared_ptr<GroupCache<std::string>> cache;  ///< of all files
  size_t number = 0;                               ///< there
  Packing packing = Packing::kNone;
  int64_t size = 0;  ///< to where its last record reaches, unpacked
};

class RecordFile {
 public:
  /// Opens `file`, which is called `path`, for reading records. Without `keep` it is opened anew for each of them.
  RecordFile(std::string path, PosixFile file, InPlace in_place, bool keep);
  RecordFile(std::string path, PosixFile file, PackedFile packed);

  const std::string& path() const { return path_; }
  device::Pinnable* pinnable() const { return map_.pinnable(); }
  /// The record's bytes; `room(n)` gives n bytes of memory for a copy. @throws DataError
  template <class Room>
  std::string_view read(Place place, Room&& room) const {
    if (kept()) return map_.read(view(place), static_cast<size_t>(place.size), room);
    char* copy = room(static_cast<size_t>(place.size));
    copy_to(copy, place);
    return {copy, static_cast<size_t>(place.size)};
  }
  /// Brings the record into memory and waits for it. @throws DataError
  void will_need(Place place) const;
  /// The record's first bytes in memory, when they are read in place; else empty.
  std::string_view in_place(Place place) const;

 private:
  std::shared_ptr<const std::string> unpacked_file() const;
  bool kept() const { return !mapping_.bytes().empty(); }
  bool is_held() const { return held_.is_remote() || held_.fd() >= 0; }
  std::string_view view(Place place) const {
    return mapping_.bytes().substr(static_cast<size_t>(place.begin), static_cast<size_t>(place.size));
  }
  void copy_to(char* copy, Place place) const;
  std::string path_;
  PosixFile held_;  // what cannot be opened by its path again: a file of a server, or the cache's copy of it
  Mapping mapping_;
  PartialMap map_;
  PackedFile packed_;
};

}  // namespace penstock
