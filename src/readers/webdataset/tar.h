// Headers of tar archives: ustar, GNU's and pax's.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "readers/file/window.h"
#include "readers/records/unpacked.h"

namespace penstock {

constexpr int64_t kTarBlock = 512;

/// A block in front of a member's data. Names are as written: they are never used as paths.
struct TarHeader {
  std::string name;  ///< at most 255 bytes; longer ones come in blocks of their own
  int64_t size = 0;  ///< of the data, in bytes
  char type = '0';
  bool is_file() const { return (type == '0' || type == '\0' || type == '7') && !name.ends_with('/'); }
};

/// None for a block of zeros, which ends an archive. @throws DataError for a block that is no header
std::optional<TarHeader> parse_tar_header(std::string_view block);

struct TarMember {
  std::string name;
  int64_t begin = 0, size = 0;  ///< of the data
};

/// Goes through the regular files of an archive.
class TarWalk {
 public:
  /// Compressed archives are unpacked on the way. @throws DataError where that is not known how
  explicit TarWalk(const PosixFile& file);
  /// None at the end. @throws DataError for what is no header, and for an archive that was cut off
  std::optional<TarMember> next();

 private:
  std::string_view data_of(const TarHeader& header);
  std::string_view at(int64_t begin, int64_t size);
  /// Of the archive; of a compressed one only once its end was met.
  int64_t archive_size() const { return unpacker_ ? unpacked_size_ : window_.file_size(); }
  Window window_;
  std::optional<Unpacker> unpacker_;
  std::string piece_;  // the latest of what was unpacked
  int64_t unpacked_size_ = std::numeric_limits<int64_t>::max();
  int64_t at_ = 0;
};

/// "path" and "size" of pax's extended header; other entries have no meaning here. @throws DataError
struct PaxEntries {
  std::optional<std::string> path;
  std::optional<int64_t> size;
};
PaxEntries parse_pax(std::string_view text);

}  // namespace penstock
