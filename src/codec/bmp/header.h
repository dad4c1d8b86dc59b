// The headers of a BMP file, checked, in the form that the pixels need.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace penstock::codec::bmp {

enum class Compression : uint32_t { kNone = 0, kRle8 = 1, kRle4 = 2, kMasks = 3, kAlphaMasks = 6 };

/// One channel's bits within a pixel.
struct Mask {
  uint32_t bits = 0;
  int shift = 0;
  uint32_t highest = 0;

  Mask() = default;
  explicit Mask(uint32_t bits);
  /// The channel scaled to 0..255; 0 for an empty mask.
  uint8_t of(uint32_t pixel) const;
};

struct Header {
  int64_t height = 0, width = 0;
  bool top_down = false;
  int pixel_bits = 0;
  Compression compression = Compression::kNone;
  int channels = 0;
  std::array<Mask, 4> masks;                    // red, green, blue, alpha; of 16 and 32 bits
  std::vector<std::array<uint8_t, 3>> palette;  // RGB, a power of two of them, so that no index is out of range
  size_t data = 0;                              // offset of the pixels

  size_t row_bytes() const { return (static_cast<size_t>(width) * static_cast<size_t>(pixel_bits) + 31) / 32 * 4; }
};

/// @throws DataError
Header read_header(std::span<const uint8_t> bytes);

}  // namespace penstock::codec::bmp
