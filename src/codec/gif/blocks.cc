#include "codec/gif/blocks.h"

#include <algorithm>

#include "codec/bytes.h"

namespace penstock::codec::gif {
namespace {

enum Introducer : uint8_t { kExtension = 0x21, kImage = 0x2C, kTrailer = 0x3B };
constexpr uint8_t kGraphicControl = 0xF9;

size_t table_bytes(uint8_t flags) { return flags & 0x80 ? size_t{3} << ((flags & 7) + 1) : 0; }

// Behind a chain of data blocks, or the file's end.
size_t behind_data(std::span<const uint8_t> bytes, size_t at) {
  while (at < bytes.size() && bytes[at] != 0) at += size_t{1} + bytes[at];
  return std::min(at + 1, bytes.size());
}

}  // namespace

Blocks read_blocks(std::span<const uint8_t> bytes) {
  const auto screen = slice(bytes, 0, 13);
  Blocks found{load_le16(&screen[8]), load_le16(&screen[6])};
  bool transparent = false;
  size_t at = 13 + table_bytes(screen[10]);
  while (at < bytes.size() && bytes[at] != kTrailer) {
    if (bytes[at] == kExtension && at + 2 < bytes.size()) {
      if (bytes[at + 1] == kGraphicControl && at + 3 < bytes.size()) transparent |= bytes[at + 3] & 1;
      at = behind_data(bytes, at + 2);
      continue;
    }
    if (bytes[at] != kImage || bytes.size() - at < 11) break;
    const auto place = bytes.subspan(at + 1, 9);
    if (found.frames++ == 0) {
      found.first_is_transparent = transparent;
      found.width = std::max<int64_t>(found.width, load_le16(&place[0]) + load_le16(&place[4]));
      found.height = std::max<int64_t>(found.height, load_le16(&place[2]) + load_le16(&place[6]));
    }
    at = behind_data(bytes, at + 11 + table_bytes(place[8]));
  }
  PENSTOCK_CHECK(found.frames > 0, DataError, "the GIF file is cut off or has no frame");
  return found;
}

}  // namespace penstock::codec::gif
