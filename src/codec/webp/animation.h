// The frames of a WebP animation, composed by libwebpdemux.
#pragma once

#include <webp/demux.h>

#include <cstdint>
#include <memory>
#include <span>

namespace penstock::codec::webp {

class Animation {
 public:
  /// @throws DataError for damaged and cut-off files
  explicit Animation(std::span<const uint8_t> bytes);
  int64_t frames() const { return facts_.frame_count; }
  int64_t height() const { return facts_.canvas_height; }
  int64_t width() const { return facts_.canvas_width; }
  /// RGBA of the canvas with the next frame; good until the next call. @throws DataError
  const uint8_t* next();

 private:
  struct Delete {
    void operator()(WebPAnimDecoder* decoder) const { WebPAnimDecoderDelete(decoder); }
  };

  std::unique_ptr<WebPAnimDecoder, Delete> decoder_;
  WebPAnimInfo facts_{};
};

}  // namespace penstock::codec::webp
