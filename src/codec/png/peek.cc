#include "codec/bytes.h"
#include "codec/orientation.h"
#include "codec/png/png.h"

namespace penstock::codec::png {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1A\n"sv;
constexpr size_t kChunkFrame = 12;  // length, name and checksum around a chunk's body

int channels_of(uint32_t colour_type) {
  switch (colour_type) {
    case 0:
      return 1;
    case 4:
      return 2;
    case 2:
    case 3:  // palette
      return 3;
    case 6:
      return 4;
  }
  fail<DataError>("the header says colour type {}; 0, 2, 3, 4 and 6 exist", colour_type);
}

// The eXIf chunk may stand on either side of the pixels. A cut-off file is the decoder's to report.
int find_orientation(std::span<const uint8_t> bytes) {
  for (size_t at = kSignature.size(); at + kChunkFrame <= bytes.size();) {
    const size_t length = load_be32(&bytes[at]);
    if (length > bytes.size() - at - kChunkFrame) break;
    if (starts_with(bytes.subspan(at + 4), "eXIf")) return exif_orientation(bytes.subspan(at + 8, length));
    at += kChunkFrame + length;
  }
  return 1;
}

}  // namespace

bool recognises(std::span<const uint8_t> bytes) { return starts_with(bytes, kSignature); }

Info peek(std::span<const uint8_t> bytes) {
  const auto header = slice(bytes, kSignature.size(), 8 + 13);
  PENSTOCK_CHECK(starts_with(header.subspan(4), "IHDR"), DataError, "the first chunk is not IHDR");
  const uint8_t* body = &header[8];
  const uint32_t depth = body[8], colour_type = body[9];
  PENSTOCK_CHECK(depth == 1 || depth == 2 || depth == 4 || depth == 8 || depth == 16, DataError,
                 "the header says {} bits a sample; 1, 2, 4, 8 and 16 exist", depth);
  constexpr uint32_t kPalette = 3;
  Info info{.format = &kEntry, .height = load_be32(body + 4), .width = load_be32(body)};
  info.channels = channels_of(colour_type);
  info.bits = colour_type == kPalette ? 8 : static_cast<int>(depth);
  check_extents(info.height, info.width);
  // Deflate shrinks no more than 1032 times: a header that promises more is damaged, or would
  // make the decoder allocate without bound.
  const uint64_t stored_channels = colour_type == kPalette ? 1 : static_cast<uint64_t>(info.channels);
  const uint64_t stored_bits = static_cast<uint64_t>(info.height * info.width) * stored_channels * depth;
  PENSTOCK_CHECK(stored_bits / 8 / 1032 <= bytes.size(), DataError,
                 "the header says {} x {} pixels (height x width), more than {} bytes can hold", info.height,
                 info.width, bytes.size());
  info.orientation = find_orientation(bytes);
  return info;
}

}  // namespace penstock::codec::png
