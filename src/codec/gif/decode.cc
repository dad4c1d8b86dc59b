#include <cstring>

#include "codec/bytes.h"
#include "codec/gif/blocks.h"
#include "codec/gif/canvas.h"
#include "codec/gif/gif.h"

namespace penstock::codec::gif {
namespace {

Info info_of(const Blocks& blocks) {
  return {.format = &kEntry,
          .height = blocks.height,
          .width = blocks.width,
          .channels = blocks.first_is_transparent ? 4 : 3,
          .frames = blocks.frames};
}

void copy(std::span<const Colour> canvas, const Info& info, const Region& region, std::byte* out) {
  const auto channels = static_cast<size_t>(info.channels);
  for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
    const auto row = canvas.subspan(static_cast<size_t>(y * info.width + region.x0), static_cast<size_t>(region.width));
    for (const Colour& pixel : row) {
      std::memcpy(out, pixel.data(), channels);
      out += channels;
    }
  }
}

class GifEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override { return {.channels = info.channels}; }

  void decode(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
              std::byte* out) override {
    decode_some(bytes, info, 1, [&](std::span<const Colour> canvas) { copy(canvas, info, region, out); });
  }

  void decode_frames(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
                     std::byte* scratch, const std::function<void()>& made) override {
    decode_some(bytes, info, info.frames, [&](std::span<const Colour> canvas) {
      copy(canvas, info, region, scratch);
      made();
    });
  }

 private:
  template <class Fn>
  void decode_some(std::span<const uint8_t> bytes, const Info& info, int64_t frames, Fn&& drawn) {
    PENSTOCK_CHECK(info_of(read_blocks(bytes)) == info, DataError, kOtherHeader);
    Reader reader(bytes);
    Canvas canvas(info.height, info.width, reader.background());
    Frame frame;
    for (int64_t i = 0; i < frames; ++i) {
      PENSTOCK_CHECK(reader.next(frame), DataError, "the GIF file is cut off behind {} of {} frames", i, frames);
      canvas.draw(frame);
      drawn(canvas.pixels());
    }
  }
};

}  // namespace

bool recognises(std::span<const uint8_t> bytes) { return starts_with(bytes, "GIF87a") || starts_with(bytes, "GIF89a"); }

Info peek(std::span<const uint8_t> bytes) { return info_of(read_blocks(bytes)); }

std::unique_ptr<Engine> make_engine() { return std::make_unique<GifEngine>(); }

}  // namespace penstock::codec::gif
