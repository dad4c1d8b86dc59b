#include "codec/orientation.h"

#include <utility>

#include "codec/bytes.h"

namespace penstock::codec {

Region to_stored(const Region& shown, int64_t height, int64_t width, int orientation) {
  Region stored = shown;
  if (swaps_axes(orientation)) {
    std::swap(stored.y0, stored.x0);
    std::swap(stored.height, stored.width);
  }
  if (flips_rows(orientation)) stored.y0 = height - stored.y0 - stored.height;
  if (flips_columns(orientation)) stored.x0 = width - stored.x0 - stored.width;
  return stored;
}

Walk walk(const Region& stored, int orientation, size_t pixel_bytes) {
  ptrdiff_t pixel = static_cast<ptrdiff_t>(pixel_bytes);
  ptrdiff_t row = pixel * stored.width;
  Walk w{.height = stored.height, .width = stored.width};
  if (flips_rows(orientation)) w.start += row * (stored.height - 1);
  if (flips_columns(orientation)) w.start += pixel * (stored.width - 1);
  if (flips_rows(orientation)) row = -row;
  if (flips_columns(orientation)) pixel = -pixel;
  if (swaps_axes(orientation)) {
    std::swap(row, pixel);
    std::swap(w.height, w.width);
  }
  w.row_step = row;
  w.pixel_step = pixel;
  return w;
}

int exif_orientation(std::span<const uint8_t> tiff) {
  constexpr uint32_t kOrientationTag = 0x0112, kByte = 1, kShort = 3, kLong = 4;
  constexpr size_t kHeaderBytes = 8, kEntryBytes = 12;
  const bool little = starts_with(tiff, "II");
  if (tiff.size() < kHeaderBytes || (!little && !starts_with(tiff, "MM"))) return 1;
  const auto u16 = [&](size_t at) { return little ? load_le16(&tiff[at]) : load_be16(&tiff[at]); };
  const auto u32 = [&](size_t at) { return little ? load_le32(&tiff[at]) : load_be32(&tiff[at]); };
  const size_t ifd = u32(4);
  if (ifd > tiff.size() - 2) return 1;
  const size_t entries = u16(ifd);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = ifd + 2 + i * kEntryBytes;
    if (entry + kEntryBytes > tiff.size()) return 1;
    if (u16(entry) != kOrientationTag) continue;
    const uint32_t type = u16(entry + 2);
    const size_t at = entry + 8;
    const uint32_t value = type == kByte ? tiff[at] : type == kShort ? u16(at) : type == kLong ? u32(at) : 1;
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

}  // namespace penstock::codec
