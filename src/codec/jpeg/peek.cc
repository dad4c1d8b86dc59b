// The header of a JPEG file: a walk over its marker segments up to the first scan, a few dozen bytes touched.
#include "codec/bytes.h"
#include "codec/jpeg/jpeg.h"
#include "codec/orientation.h"

namespace penstock::codec::jpeg {
namespace {

using namespace std::string_view_literals;

constexpr uint8_t kStartOfImage = 0xD8, kEndOfImage = 0xD9, kStartOfScan = 0xDA, kApp1 = 0xE1;

bool is_frame(uint8_t marker) {
  return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
}

// SOF3, and its differential and arithmetic brothers.
bool is_lossless(uint8_t frame) { return (frame & 0x03) == 0x03; }

bool stands_alone(uint8_t marker) { return marker == 0x01 || (marker >= 0xD0 && marker <= kStartOfImage); }

// Position after the next marker, which is its last byte; like libjpeg, skips rubbish between segments.
size_t next_marker(std::span<const uint8_t> bytes, size_t at) {
  while (at + 1 < bytes.size() && (bytes[at] != 0xFF || bytes[at + 1] == 0xFF || bytes[at + 1] == 0)) ++at;
  slice(bytes, at, 2);
  return at + 2;
}

// A block of 8 x 8 samples takes a bit at least where Huffman's codes are used: a header that promises more is damaged,
// or would make the decoder allocate without bound.
void check_plausible(const Info& info, uint8_t frame, size_t file_bytes) {
  constexpr uint8_t kFirstArithmetic = 0xC9;
  const int64_t least = info.height / 8 * (info.width / 8) / 8;
  PENSTOCK_CHECK(frame >= kFirstArithmetic || least <= static_cast<int64_t>(file_bytes), DataError,
                 "the header says {} x {} pixels (height x width), more than {} bytes can hold", info.height,
                 info.width, file_bytes);
}

void read_frame(std::span<const uint8_t> body, Info& info) {
  const auto head = slice(body, 0, 6);
  info.bits = head[0];
  info.height = load_be16(&head[1]);
  info.width = load_be16(&head[3]);
  info.channels = head[5];
  info.cmyk = info.channels == 4;
  PENSTOCK_CHECK(info.channels == 1 || info.channels == 3 || info.channels == 4, DataError,
                 "JPEG files of {} components are not supported; 1, 3 and 4 are", info.channels);
  PENSTOCK_CHECK(info.bits >= 1 && info.bits <= 16, DataError, "the header says {} bits a sample", info.bits);
}

}  // namespace

bool recognises(std::span<const uint8_t> bytes) { return starts_with(bytes, "\xFF\xD8\xFF"sv); }

Info peek(std::span<const uint8_t> bytes) {
  Info info{.format = &kEntry};
  for (size_t at = next_marker(bytes, 2);; at = next_marker(bytes, at)) {
    const uint8_t marker = bytes[at - 1];
    if (stands_alone(marker)) continue;
    if (marker == kStartOfScan || marker == kEndOfImage) break;
    const size_t length = load_be16(slice(bytes, at, 2).data());
    PENSTOCK_CHECK(length >= 2, DataError, "the segment of marker 0x{:02X} at byte {} has length {}", marker, at,
                   length);
    const auto body = slice(bytes, at + 2, length - 2);
    if (is_frame(marker)) {
      read_frame(body, info);
      check_plausible(info, marker, bytes.size());
      info.lossless = is_lossless(marker);
    }
    if (marker == kApp1 && info.orientation == 1 && starts_with(body, "Exif\0\0"sv))
      info.orientation = exif_orientation(body.subspan(6));
    at += length;
  }
  PENSTOCK_CHECK(info.channels != 0, DataError, "the file has no frame header before its first scan");
  return info;
}

}  // namespace penstock::codec::jpeg
