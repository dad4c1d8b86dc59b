// Compressed files of records: gzip and zstd, read from front to back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "readers/file/posix_file.h"

namespace penstock {

enum class Packing { kNone, kGzip, kZstd };
/// By the first bytes of a file.
Packing packing_of(std::string_view head);
Packing packing_of(const PosixFile& file);

/// Decompresses a file, in which there may be several streams one behind the other, as pigz and zstd -T0 write them.
class Unpacker {
 public:
  /// `file` must outlive this object.
  Unpacker(const PosixFile& file, Packing packing);
  ~Unpacker();
  Unpacker(Unpacker&&) noexcept;
  /// Fills `out`, but for the end of the file. Returns how many bytes there were.
  /// @throws DataError for damaged and cut-off streams
  size_t read(std::span<std::byte> out);
  /// What has been read so far.
  int64_t position() const { return position_; }

  /// One kind of stream.
  class Stream;

 private:
  bool refill();
  const PosixFile& file_;
  std::unique_ptr<Stream> stream_;
  std::string packed_;     // a piece of the file
  std::string_view left_;  // in it
  int64_t next_ = 0;       // byte of the file behind the piece
  int64_t position_ = 0;
};

/// The first `size` bytes of what a file holds, unpacked. @throws DataError when there are fewer, and as Unpacker::read
std::string unpacked(const PosixFile& file, Packing packing, int64_t size);

}  // namespace penstock
