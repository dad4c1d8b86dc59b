// The entropy-coded bytes of a scan, freed of the zeros that are stuffed after each 0xFF, and where they are divided by
// restart markers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock::codec::jpeg {

class Bitstream {
 public:
  /// Readers may load this many bytes from any position up to the end.
  static constexpr size_t kPadding = 64;

  /// Takes the bytes after a scan's header, up to the first marker that does not divide two of `segments` segments.
  /// @return false where restart markers are not numbered in turn, or bytes stand where none may
  bool take(std::span<const uint8_t> stuffed, size_t segments);
  /// The same into memory of the caller's, with room for as many bytes and kPadding more; it must stay. Many bytes go
  /// past the caches.
  bool take(std::span<const uint8_t> stuffed, size_t segments, uint8_t* memory);

  /// A part of a scan that is known to be sound: bytes from within segment `first` on.
  bool take_part(std::span<const uint8_t> stuffed, size_t first, size_t segments);

  size_t segments() const { return ends_.size(); }
  /// The bytes between two restart markers, followed by kPadding bytes of whatever.
  std::span<const uint8_t> segment(size_t i) const {
    const size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {data_ + begin, ends_[i] - begin};
  }
  /// True where a marker ended the data; else the file is cut off, or nearly.
  bool ended() const { return ended_; }
  /// Gives memory back that an unusually large picture took.
  void trim();

 private:
  template <class Out>
  bool free_of_stuffing(std::span<const uint8_t> stuffed, size_t first, size_t segments, Out out);
  void reserve(size_t stuffed);

  uint8_t* data_ = nullptr;
  std::vector<uint8_t> bytes_;  // as large as the largest scan so far: growing it clears what is new
  std::vector<size_t> ends_;    // of the segments
  bool ended_ = false;
};

struct Copied {
  size_t taken = 0, written = 0;  ///< bytes
};

/// Copies bytes without the zeros that are stuffed after each 0xFF, up to a 0xFF that has none, or all. `out` has room
/// for as many bytes, and for Bitstream::kPadding more.
Copied copy_sound(std::span<const uint8_t> stuffed, uint8_t* out);

/// How many bytes are a scan's own, with the marker that ends it, where other things may lie behind; all if none does.
/// Takes 55 us a MB: for files that need it.
size_t end_of_scan(std::span<const uint8_t> stuffed);

/// Bytes on their way to memory from which a GPU will copy them: past the caches, which the host has better use for. To
/// read a file of 110 KB and free it of stuffing took each of 14 threads 36 us where such memory was written as any
/// other is, and 29 so; each of 28 threads 45 and 38 us (two H100 of a host with 32 cores).
class PastCaches {
 public:
  /// @param to room for all that will be written and Bitstream::kPadding bytes more; slower where it is not aligned to
  /// 64
  explicit PastCaches(uint8_t* to) : to_(to) {}

  /// As the function of that name.
  Copied copy_sound(std::span<const uint8_t> stuffed);
  size_t written() const { return sent_ + held_; }
  /// To be called at the end: everything is on its way, with Bitstream::kPadding zeros behind.
  void finish();

 private:
  static constexpr size_t kWindow = 4096, kLine = 64;
  void send_lines();

  uint8_t* const to_;
  size_t sent_ = 0, held_ = 0;
  alignas(kLine) std::array<uint8_t, kWindow + Bitstream::kPadding> window_;  // a part of a nearest cache
};

/// Where bytes of a Bitstream lie in what it was taken from.
class StuffedPositions {
 public:
  explicit StuffedPositions(std::span<const uint8_t> stuffed) : stuffed_(stuffed), next_(find(0)) {}

  /// @param byte not before the one asked for last
  uint64_t of(uint64_t byte);

 private:
  uint64_t find(uint64_t from) const;

  std::span<const uint8_t> stuffed_;
  uint64_t removed_ = 0;  // bytes so far that the other has not
  uint64_t next_;         // 0xFF
};

}  // namespace penstock::codec::jpeg
