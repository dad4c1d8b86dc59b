// A file of places beside a data set, for the runs to come. One record follows another, each complete in itself and
// written at once, so that processes may share a file and a run may be killed at any time.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codec/jpeg/checkpoints.h"

namespace penstock::codec::jpeg {

class Sidecar {
 public:
  /// What to do with a record. @return false where there is no room for more
  using Take = std::function<bool(const FileKey&, PackedPlaces)>;

  /// Makes ready to read and to add. What follows a damaged record, and a file of another version, is replaced by what
  /// is sound, unless there is no room to read as far; a file that may only be read is left as it is.
  /// @throws ArgumentError where there is something else, or the file can neither be read nor made
  Sidecar(const std::string& path, Take take);

  /// Takes the sound records that were added since the last time, by this process or others, as far as there is room.
  /// @return false where a damaged one follows
  bool read_new();
  /// Adds a record. Where the disk is full the file keeps what it has.
  void append(const FileKey& key, std::span<const uint16_t> places);

 private:
  std::string path_;
  Take take_;
  uintmax_t read_ = 0;  // bytes
  std::ofstream out_;
  std::vector<uint8_t> record_;
};

}  // namespace penstock::codec::jpeg
