#include "codec/webp/webp.h"

#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "codec/bytes.h"
#include "codec/orientation.h"
#include "codec/scratch.h"

namespace penstock::codec::webp {
namespace {

constexpr size_t kRiffHeader = 12, kChunkHeader = 8;

// The first chunk of that name within `chunks`; empty where there is none. A cut-off chunk ends the search.
std::span<const uint8_t> find_chunk(std::span<const uint8_t> chunks, std::string_view name) {
  for (size_t at = 0; at + kChunkHeader <= chunks.size();) {
    const size_t length = load_le32(&chunks[at + 4]);
    if (length > chunks.size() - at - kChunkHeader) break;
    if (starts_with(chunks.subspan(at), name)) return chunks.subspan(at + kChunkHeader, length);
    at += kChunkHeader + length + length % 2;
    if (at > chunks.size()) break;
  }
  return {};
}

uint32_t load_le24(const uint8_t* p) { return load_le16(p) | static_cast<uint32_t>(p[2]) << 16; }

// The chunks of an animation's first frame, which libwebp decodes like a file of their own.
std::span<const uint8_t> first_frame(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& canvas) {
  constexpr size_t kFrameHeader = 16;
  const auto frame = slice(find_chunk(bytes.subspan(kRiffHeader), "ANMF"), 0, kFrameHeader);
  const int width = static_cast<int>(load_le24(&frame[6])) + 1, height = static_cast<int>(load_le24(&frame[9])) + 1;
  PENSTOCK_CHECK(
      width == canvas.width && height == canvas.height, DataError,
      "the animation's first frame is {} x {} of {} x {} pixels (height x width): such files are not supported", height,
      width, canvas.height, canvas.width);
  return find_chunk(bytes.subspan(kRiffHeader), "ANMF").subspan(kFrameHeader);
}

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

WEBP_CSP_MODE mode_of(const Samples& samples) {
  if (samples.channels == 4) return MODE_RGBA;
  return samples.colour == ImageType::kBGR ? MODE_BGR : MODE_RGB;
}

class WebpEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType type) const override {
    if (type == ImageType::kAnyData) return {.channels = info.channels};
    return {.channels = 3, .colour = type == ImageType::kBGR ? ImageType::kBGR : ImageType::kRGB};
  }
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              std::byte* out) override;

 private:
  std::vector<uint8_t> kept_;
};

// Chroma is interpolated, and libwebp treats the edge of what it decodes as the edge of the picture: a margin that is
// thrown away makes a region equal to the crop of the whole. It starts at even rows and columns, where chroma does.
Region with_margin(const Region& region, const Info& info) {
  constexpr int64_t kMargin = 4;
  const int64_t y0 = std::max<int64_t>(region.y0 / 2 * 2 - kMargin, 0);
  const int64_t x0 = std::max<int64_t>(region.x0 / 2 * 2 - kMargin, 0);
  const int64_t y1 = std::min(region.y0 + region.height + kMargin, info.height);
  const int64_t x1 = std::min(region.x0 + region.width + kMargin, info.width);
  return {y0, x0, y1 - y0, x1 - x0};
}

void WebpEngine::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                        std::byte* out) {
  const WebPBitstreamFeatures features = features_of(bytes);
  PENSTOCK_CHECK(features.height == info.height && features.width == info.width, DataError, kOtherHeader);
  if (features.has_animation) bytes = first_frame(bytes, features);
  const Samples made = samples(info, request.type);
  const Region wide = with_margin(region, info);
  const size_t wide_row = static_cast<size_t>(wide.width) * made.pixel_bytes();
  const size_t row = static_cast<size_t>(region.width) * made.pixel_bytes();
  const bool direct = wide.height == region.height && wide.width == region.width;
  const size_t size = wide_row * static_cast<size_t>(wide.height);
  const TrimLater later(kept_);
  if (!direct) kept_.resize(size);

  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  config.options.use_cropping = wide.height < info.height || wide.width < info.width;
  config.options.crop_top = static_cast<int>(wide.y0);
  config.options.crop_left = static_cast<int>(wide.x0);
  config.options.crop_height = static_cast<int>(wide.height);
  config.options.crop_width = static_cast<int>(wide.width);
  config.output.colorspace = mode_of(made);
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {direct ? reinterpret_cast<uint8_t*>(out) : kept_.data(), static_cast<int>(wide_row), size};
  const VP8StatusCode status = WebPDecode(bytes.data(), bytes.size(), &config);
  PENSTOCK_CHECK(status == VP8_STATUS_OK, DataError, "{}", text_of(status));
  if (direct) return;
  const uint8_t* from = kept_.data() + static_cast<size_t>(region.y0 - wide.y0) * wide_row +
                        static_cast<size_t>(region.x0 - wide.x0) * made.pixel_bytes();
  for (int64_t y = 0; y < region.height; ++y, from += wide_row, out += row) std::memcpy(out, from, row);
}

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  return bytes.size() >= kRiffHeader && starts_with(bytes, "RIFF") && starts_with(bytes.subspan(8), "WEBP");
}

Info peek(std::span<const uint8_t> bytes) {
  const WebPBitstreamFeatures features = features_of(bytes);
  auto exif = find_chunk(bytes.subspan(kRiffHeader), "EXIF");
  // Some writers keep the introduction that EXIF has in JPEG files.
  if (starts_with(exif, std::string_view("Exif\0\0", 6))) exif = exif.subspan(6);
  return {.format = Format::kWebp,
          .height = features.height,
          .width = features.width,
          .channels = features.has_alpha ? 4 : 3,
          .orientation = exif_orientation(exif)};
}

std::unique_ptr<Engine> make_engine() { return std::make_unique<WebpEngine>(); }

}  // namespace penstock::codec::webp
