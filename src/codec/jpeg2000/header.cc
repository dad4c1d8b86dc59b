#include "codec/jpeg2000/header.h"

#include <algorithm>

#include "codec/bytes.h"
#include "codec/engine.h"
#include "codec/jpeg2000/boxes.h"
#include "codec/orientation.h"

namespace penstock::codec::jpeg2000 {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kExif = "JpgTiffExif->JP2"sv;  // a box's UUID
constexpr size_t kMaxComponents = 32;
// OpenJPEG keeps samples in four bytes.
constexpr int64_t kMaxSamples = kMaxBytes / 4;

enum ColourSpace : uint32_t { kCmyk = 12, kSycc = 18, kLab = 14, kEsycc = 24 };

constexpr int64_t divided_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

void read_components(std::span<const uint8_t> size_segment, Header& header) {
  constexpr size_t kFirst = 38;
  const size_t count = load_be16(&size_segment[36]);
  PENSTOCK_CHECK(count > 0 && count <= kMaxComponents, DataError, "JPEG 2000 of {} components; up to {} are decoded",
                 count, kMaxComponents);
  const auto each = slice(size_segment, kFirst, 3 * count);
  for (size_t i = 0; i < count; ++i) {
    const Component component{(each[3 * i] & 127) + 1, each[3 * i + 2], each[3 * i + 1]};
    PENSTOCK_CHECK(component.bits <= 16, DataError, "JPEG 2000 of {} bits; up to 16 are decoded", component.bits);
    PENSTOCK_CHECK(component.dy > 0 && component.dx > 0, DataError, "the header says components without samples");
    header.components.push_back(component);
  }
}

// The marker segment of the size, behind its marker.
void read_size(std::span<const uint8_t> codestream, Header& header) {
  PENSTOCK_CHECK(starts_with(codestream, "\xFF\x4F\xFF\x51"sv), DataError, "there is no JPEG 2000 codestream");
  const auto fixed = slice(codestream, 4, 38);
  const auto segment = slice(codestream, 4, load_be16(fixed.data()));
  PENSTOCK_CHECK(segment.size() >= fixed.size(), DataError, "the header's size segment has {} bytes", segment.size());
  const auto number = [&](size_t i) -> int64_t { return load_be32(&segment[4 + 4 * i]); };
  header.x1 = number(0), header.y1 = number(1), header.x0 = number(2), header.y0 = number(3);
  const int64_t tile_width = number(4), tile_height = number(5), tile_x0 = number(6), tile_y0 = number(7);
  PENSTOCK_CHECK(header.x0 < header.x1 && header.y0 < header.y1, DataError, "the header says a picture without pixels");
  PENSTOCK_CHECK(tile_width > 0 && tile_height > 0 && tile_x0 <= header.x0 && tile_y0 <= header.y0 &&
                     tile_x0 + tile_width > header.x0 && tile_y0 + tile_height > header.y0,
                 DataError, "the header says tiles of {} x {} pixels from row {}, column {} on", tile_height,
                 tile_width, tile_y0, tile_x0);
  read_components(segment, header);
  constexpr int64_t kTilePart = 14;  // bytes of its two markers
  const int64_t down = divided_up(header.y1 - tile_y0, tile_height),
                across = divided_up(header.x1 - tile_x0, tile_width);
  PENSTOCK_CHECK(down <= static_cast<int64_t>(codestream.size()) / kTilePart / across, DataError,
                 "the header says {} x {} tiles, which {} bytes cannot hold", down, across, codestream.size());
  check_packets(codestream, std::min(tile_height, header.y1), std::min(tile_width, header.x1),
                header.components.size());
}

void read_palette(std::span<const uint8_t> boxes, Header& header) {
  const auto palette = find_box(boxes, "pclr");
  if (palette.empty() || find_box(boxes, "cmap").empty()) return;
  header.channels = slice(palette, 0, 3)[2];
  header.bits = 0;
  for (const uint8_t depth : slice(palette, 3, static_cast<size_t>(header.channels)))
    header.bits = std::max(header.bits, (depth & 127) + 1);
  PENSTOCK_CHECK(header.channels > 0 && header.bits <= 16, DataError,
                 "JPEG 2000 with a palette of {} colours of {} bits", header.channels, header.bits);
}

// Of several descriptions of the colours the first one counts.
void read_colours(std::span<const uint8_t> boxes, Header& header) {
  constexpr uint8_t kEnumerated = 1;
  const auto colour = find_box(boxes, "colr");
  uint32_t space = 0;
  if (colour.size() >= 7 && colour[0] == kEnumerated) space = load_be32(&colour[3]);
  PENSTOCK_CHECK(space != kCmyk && space != kLab && space != kEsycc, DataError,
                 "JPEG 2000 in {}, which is not decoded; gray, sRGB and sYCC are",
                 space == kCmyk  ? "CMYK"
                 : space == kLab ? "CIELab"
                                 : "e-sYCC");
  const auto& parts = header.components;
  const bool chroma_is_coarser = parts.size() == 3 && parts[1].dx > parts[0].dx && parts[2].dx > parts[0].dx;
  header.ycc = header.channels >= 3 && (space == kSycc || (space == 0 && chroma_is_coarser));
}

}  // namespace

Header read_header(std::span<const uint8_t> bytes) {
  Header header;
  header.boxed = !starts_with(bytes, "\xFF\x4F"sv);
  read_size(header.boxed ? find_box(bytes, "jp2c") : bytes, header);
  header.channels = static_cast<int>(header.components.size());
  header.dy = header.dx = 255;
  for (const Component& component : header.components) {
    header.bits = std::max(header.bits, component.bits);
    header.dy = std::min(header.dy, component.dy);
    header.dx = std::min(header.dx, component.dx);
  }
  header.height = divided_up(header.y1, header.dy) - divided_up(header.y0, header.dy);
  header.width = divided_up(header.x1, header.dx) - divided_up(header.x0, header.dx);
  const auto boxes = header.boxed ? find_box(bytes, "jp2h") : bytes.first(0);
  read_palette(boxes, header);
  read_colours(boxes, header);
  check_extents(header.height, header.width);
  PENSTOCK_CHECK(
      header.height * header.width <= kMaxSamples / header.channels, DataError,
      "the header says {} x {} pixels (height x width) of {} channels; JPEG 2000 above {} samples is refused",
      header.height, header.width, header.channels, kMaxSamples);
  if (header.boxed) {
    const auto exif = find_box(bytes, "uuid", kExif);
    if (!exif.empty()) header.orientation = exif_orientation(exif.subspan(kExif.size()));
  }
  return header;
}

}  // namespace penstock::codec::jpeg2000
