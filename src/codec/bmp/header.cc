#include "codec/bmp/header.h"

#include <algorithm>
#include <bit>

#include "codec/bmp/bmp.h"
#include "codec/bytes.h"

namespace penstock::codec::bmp {
namespace {

constexpr size_t kFileHeader = 14;
constexpr size_t kCoreHeader = 12;  // OS/2 1: 16-bit extents, palette entries of three bytes
constexpr size_t kInfoHeader = 40;  // Windows 3; later ones append to it
constexpr size_t kMasksEnd = 52;    // headers from here on hold the masks themselves
constexpr size_t kAlphaEnd = 56;    // and from here on alpha's

void read_extents(std::span<const uint8_t> info, Header& h) {
  if (info.size() == kCoreHeader) {
    h.width = load_le16(&info[4]);
    h.height = load_le16(&info[6]);
    h.pixel_bits = static_cast<int>(load_le16(&info[10]));
    return;
  }
  h.width = static_cast<int32_t>(load_le32(&info[4]));
  const int64_t height = static_cast<int32_t>(load_le32(&info[8]));
  h.top_down = height < 0;
  h.height = h.top_down ? -height : height;
  h.pixel_bits = static_cast<int>(load_le16(&info[14]));
  h.compression = static_cast<Compression>(load_le32(&info[16]));
}

void check_combination(const Header& h) {
  const auto is_one_of = [&](std::initializer_list<int> sizes) {
    return std::ranges::find(sizes, h.pixel_bits) != sizes.end();
  };
  bool known = false;
  switch (h.compression) {
    case Compression::kNone:
      known = is_one_of({1, 4, 8, 16, 24, 32});
      break;
    case Compression::kRle8:
      known = h.pixel_bits == 8 && !h.top_down;
      break;
    case Compression::kRle4:
      known = h.pixel_bits == 4 && !h.top_down;
      break;
    case Compression::kMasks:
    case Compression::kAlphaMasks:
      known = is_one_of({16, 32});
      break;
  }
  PENSTOCK_CHECK(known, DataError, "BMP of {} bits a pixel with compression {} is not supported", h.pixel_bits,
                 static_cast<uint32_t>(h.compression));
}

// Returns the bytes that masks take behind the header.
size_t read_masks(std::span<const uint8_t> bytes, size_t header_size, Header& h) {
  const bool in_file = h.compression == Compression::kMasks || h.compression == Compression::kAlphaMasks;
  if (!in_file) {
    const std::array<uint32_t, 3> usual = h.pixel_bits == 16 ? std::array<uint32_t, 3>{0x7C00, 0x03E0, 0x001F}
                                                             : std::array<uint32_t, 3>{0xFF0000, 0x00FF00, 0x0000FF};
    std::ranges::transform(usual, h.masks.begin(), [](uint32_t bits) { return Mask(bits); });
    return 0;
  }
  const bool alpha = header_size >= kAlphaEnd || h.compression == Compression::kAlphaMasks;
  const size_t count = alpha ? 4 : 3;
  const auto masks = slice(bytes, kFileHeader + kInfoHeader, count * 4);
  for (size_t i = 0; i < count; ++i) h.masks[i] = Mask(load_le32(&masks[i * 4]));
  return header_size >= kMasksEnd ? 0 : count * 4;
}

void read_palette(std::span<const uint8_t> bytes, size_t at, size_t header_size, Header& h) {
  const size_t entry = header_size == kCoreHeader ? 3 : 4;
  const size_t full = size_t{1} << h.pixel_bits;
  const size_t said = header_size >= 36 ? load_le32(&bytes[kFileHeader + 32]) : 0;
  const size_t count = said == 0 ? full : std::min(said, full);
  const auto table = slice(bytes, at, count * entry);
  h.palette.resize(full);  // entries that the file lacks are black
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* bgr = &table[i * entry];
    h.palette[i] = {bgr[2], bgr[1], bgr[0]};
  }
  const auto is_gray = [](const auto& rgb) { return rgb[0] == rgb[1] && rgb[1] == rgb[2]; };
  h.channels = std::ranges::all_of(h.palette, is_gray) ? 1 : 3;
}

}  // namespace

Mask::Mask(uint32_t bits) : bits(bits), shift(bits ? std::countr_zero(bits) : 0), highest(bits >> shift) {}

uint8_t Mask::of(uint32_t pixel) const {
  if (highest == 0) return 0;
  const uint64_t value = (pixel & bits) >> shift;
  return static_cast<uint8_t>((value * 255 + highest / 2) / highest);
}

Header read_header(std::span<const uint8_t> bytes) {
  Header h;
  h.data = load_le32(slice(bytes, 10, 4).data());
  const size_t header_size = load_le32(slice(bytes, kFileHeader, 4).data());
  PENSTOCK_CHECK(header_size == kCoreHeader || (header_size >= kInfoHeader && header_size <= 124), DataError,
                 "the BMP header says it has {} bytes; 12 and 40 to 124 are known", header_size);
  read_extents(slice(bytes, kFileHeader, header_size), h);
  check_extents(h.height, h.width);
  check_combination(h);
  size_t end = kFileHeader + header_size;
  if (h.pixel_bits > 8) {
    end += read_masks(bytes, header_size, h);
    h.channels = h.masks[3].bits != 0 ? 4 : 3;
  } else {
    read_palette(bytes, end, header_size, h);
  }
  return h;
}

}  // namespace penstock::codec::bmp
