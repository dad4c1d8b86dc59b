#include "codec/webp/container.h"

#include <algorithm>

#include "codec/bytes.h"

namespace penstock::codec::webp {
namespace {

constexpr size_t kRiffHeader = 12, kChunkHeader = 8;
constexpr int kLossless = 2;  // of WebPBitstreamFeatures::format

// Calls `fn(contents)` for the chunks of that name until it returns false. A cut-off chunk ends the search.
template <class Fn>
void each_chunk(std::span<const uint8_t> bytes, std::string_view name, Fn&& fn) {
  const auto chunks = bytes.subspan(kRiffHeader);
  for (size_t at = 0; at + kChunkHeader <= chunks.size();) {
    const size_t length = load_le32(&chunks[at + 4]);
    if (length > chunks.size() - at - kChunkHeader) break;
    if (starts_with(chunks.subspan(at), name) && !fn(chunks.subspan(at + kChunkHeader, length))) return;
    at += kChunkHeader + length + length % 2;
    if (at > chunks.size()) break;
  }
}

// The first chunk of that name; empty where there is none.
std::span<const uint8_t> find_chunk(std::span<const uint8_t> bytes, std::string_view name) {
  std::span<const uint8_t> found;
  each_chunk(bytes, name, [&](std::span<const uint8_t> chunk) {
    found = chunk;
    return false;
  });
  return found;
}

int64_t load_le24(const uint8_t* p) { return load_le16(p) | static_cast<uint32_t>(p[2]) << 16; }

}  // namespace

std::string_view text_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED:
      return "the file is cut off";
    case VP8_STATUS_OUT_OF_MEMORY:
      return "out of memory";
    case VP8_STATUS_UNSUPPORTED_FEATURE:
      return "the file uses a feature that libwebp does not support";
    default:
      return "the data is damaged";
  }
}

WebPBitstreamFeatures features_of(std::span<const uint8_t> bytes) {
  WebPBitstreamFeatures features;
  const VP8StatusCode status = WebPGetFeatures(bytes.data(), bytes.size(), &features);
  PENSTOCK_CHECK(status == VP8_STATUS_OK, DataError, "{}", text_of(status));
  return features;
}

Frame first_frame(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& canvas) {
  if (!canvas.has_animation) return {bytes, {0, 0, canvas.height, canvas.width}, canvas.format != kLossless};
  constexpr size_t kFrameHeader = 16;
  const auto chunk = find_chunk(bytes, "ANMF");
  const auto header = slice(chunk, 0, kFrameHeader);
  const Region place{2 * load_le24(&header[3]), 2 * load_le24(&header[0]), load_le24(&header[9]) + 1,
                     load_le24(&header[6]) + 1};
  PENSTOCK_CHECK(place.y0 + place.height <= canvas.height && place.x0 + place.width <= canvas.width, DataError,
                 "the animation's first frame is {} x {} pixels (height x width) at row {}, column {}, which reaches "
                 "beyond the canvas of {} x {}",
                 place.height, place.width, place.y0, place.x0, canvas.height, canvas.width);
  const auto stream = chunk.subspan(kFrameHeader);
  const WebPBitstreamFeatures features = features_of(stream);
  PENSTOCK_CHECK(features.height == place.height && features.width == place.width, DataError,
                 "the animation's first frame holds {} x {} pixels (height x width), its header says {} x {}",
                 features.height, features.width, place.height, place.width);
  return {stream, place, features.format != kLossless};
}

int64_t count_frames(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& canvas) {
  if (!canvas.has_animation) return 1;
  int64_t count = 0;
  each_chunk(bytes, "ANMF", [&](std::span<const uint8_t>) { return ++count > 0; });
  return std::max<int64_t>(count, 1);
}

std::span<const uint8_t> find_exif(std::span<const uint8_t> bytes) {
  const auto exif = find_chunk(bytes, "EXIF");
  // Some writers keep the introduction that EXIF has in JPEG files.
  return starts_with(exif, std::string_view("Exif\0\0", 6)) ? exif.subspan(6) : exif;
}

}  // namespace penstock::codec::webp
