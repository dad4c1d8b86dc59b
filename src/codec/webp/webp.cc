#include "codec/webp/webp.h"

#include <webp/decode.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "codec/bytes.h"
#include "codec/orientation.h"
#include "codec/scratch.h"
#include "codec/webp/animation.h"
#include "codec/webp/container.h"

namespace penstock::codec::webp {
namespace {

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
  void decode_frames(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                     std::byte* frame, const std::function<void()>& made) override;

 private:
  void decode_frame(const Frame& frame, const Samples& made, const Region& region, std::byte* out, size_t out_row);

  std::vector<uint8_t> kept_;
};

// Chroma is interpolated, and libwebp treats the edge of what it decodes as the edge of the picture: a margin that is
// thrown away makes a region equal to the crop of the whole. It starts at even rows and columns, where chroma does.
// The alpha beside a lossy picture is decoded from the first row on: its filters predict rows from those above, and
// libwebp leaves rows above a cropping window out that its horizontal filter needs.
Region with_margin(const Region& region, const Frame& frame, bool alpha) {
  constexpr int64_t kMargin = 4;
  const int64_t y0 = alpha && frame.lossy ? 0 : std::max<int64_t>(region.y0 / 2 * 2 - kMargin, 0);
  const int64_t x0 = std::max<int64_t>(region.x0 / 2 * 2 - kMargin, 0);
  const int64_t y1 = std::min(region.y0 + region.height + kMargin, frame.place.height);
  const int64_t x1 = std::min(region.x0 + region.width + kMargin, frame.place.width);
  return {y0, x0, y1 - y0, x1 - x0};
}

Region intersection(const Region& a, const Region& b) {
  const int64_t y0 = std::max(a.y0, b.y0), x0 = std::max(a.x0, b.x0);
  const int64_t y1 = std::min(a.y0 + a.height, b.y0 + b.height), x1 = std::min(a.x0 + a.width, b.x0 + b.width);
  return {y0, x0, std::max<int64_t>(y1 - y0, 0), std::max<int64_t>(x1 - x0, 0)};
}

// A region of the frame, in its own coordinates, to rows that are `out_row` bytes apart.
void WebpEngine::decode_frame(const Frame& frame, const Samples& made, const Region& region, std::byte* out,
                              size_t out_row) {
  const Region wide = with_margin(region, frame, made.channels == 4);
  const size_t wide_row = static_cast<size_t>(wide.width) * made.pixel_bytes();
  const size_t row = static_cast<size_t>(region.width) * made.pixel_bytes();
  const bool direct = wide.height == region.height && wide.width == region.width && row == out_row;
  const size_t size = wide_row * static_cast<size_t>(wide.height);
  const TrimLater later(kept_);
  if (!direct) kept_.resize(size);

  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  config.options.use_cropping = wide.height < frame.place.height || wide.width < frame.place.width;
  config.options.crop_top = static_cast<int>(wide.y0);
  config.options.crop_left = static_cast<int>(wide.x0);
  config.options.crop_height = static_cast<int>(wide.height);
  config.options.crop_width = static_cast<int>(wide.width);
  config.output.colorspace = mode_of(made);
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {direct ? reinterpret_cast<uint8_t*>(out) : kept_.data(), static_cast<int>(wide_row), size};
  const VP8StatusCode status = WebPDecode(frame.bytes.data(), frame.bytes.size(), &config);
  PENSTOCK_CHECK(status == VP8_STATUS_OK, DataError, "{}", text_of(status));
  if (direct) return;
  const uint8_t* from = kept_.data() + static_cast<size_t>(region.y0 - wide.y0) * wide_row +
                        static_cast<size_t>(region.x0 - wide.x0) * made.pixel_bytes();
  for (int64_t y = 0; y < region.height; ++y, from += wide_row, out += out_row) std::memcpy(out, from, row);
}

void WebpEngine::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                        std::byte* out) {
  const WebPBitstreamFeatures canvas = features_of(bytes);
  PENSTOCK_CHECK(canvas.height == info.height && canvas.width == info.width, DataError, kOtherHeader);
  const Frame frame = first_frame(bytes, canvas);
  const Samples made = samples(info, request.type);
  const size_t row = static_cast<size_t>(region.width) * made.pixel_bytes();
  const Region covered = intersection(region, frame.place);
  if (covered.height < region.height || covered.width < region.width)  // the canvas is black and transparent
    std::memset(out, 0, row * static_cast<size_t>(region.height));
  if (covered.height == 0 || covered.width == 0) return;
  out += static_cast<size_t>(covered.y0 - region.y0) * row +
         static_cast<size_t>(covered.x0 - region.x0) * made.pixel_bytes();
  decode_frame(frame, made, {covered.y0 - frame.place.y0, covered.x0 - frame.place.x0, covered.height, covered.width},
               out, row);
}

// Of RGBA as much as is wanted of it.
void copy_pixels(const uint8_t* rgba, int64_t count, const Samples& made, std::byte* out) {
  const int red = made.colour == ImageType::kBGR ? 2 : 0;
  for (; count > 0; --count, rgba += 4) {
    for (const int c : {red, 1, 2 - red}) *out++ = std::byte{rgba[c]};
    if (made.channels == 4) *out++ = std::byte{rgba[3]};
  }
}

void WebpEngine::decode_frames(std::span<const uint8_t> bytes, const Info& info, const Request& request,
                               const Region& region, std::byte* frame, const std::function<void()>& made) {
  Animation animation(bytes);
  PENSTOCK_CHECK(
      animation.height() == info.height && animation.width() == info.width && animation.frames() == info.frames,
      DataError, "the animation is damaged: {} frames of {} x {} pixels, its header says {} of {} x {}",
      animation.frames(), animation.height(), animation.width(), info.frames, info.height, info.width);
  const Samples samples = this->samples(info, request.type);
  for (int64_t i = 0; i < info.frames; ++i) {
    const uint8_t* canvas = animation.next();
    std::byte* row = frame;
    for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
      copy_pixels(canvas + (y * info.width + region.x0) * 4, region.width, samples, row);
      row += static_cast<size_t>(region.width) * samples.pixel_bytes();
    }
    made();
  }
}

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  return bytes.size() >= 12 && starts_with(bytes, "RIFF") && starts_with(bytes.subspan(8), "WEBP");
}

Info peek(std::span<const uint8_t> bytes) {
  const WebPBitstreamFeatures features = features_of(bytes);
  return {.format = &kEntry,
          .height = features.height,
          .width = features.width,
          .channels = features.has_alpha ? 4 : 3,
          .orientation = exif_orientation(find_exif(bytes)),
          .frames = count_frames(bytes, features)};
}

std::unique_ptr<Engine> make_engine() { return std::make_unique<WebpEngine>(); }

}  // namespace penstock::codec::webp
