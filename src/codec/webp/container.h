// The chunks of a WebP file: what the picture's canvas is, and where the first frame lies in it.
#pragma once

#include <webp/decode.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "codec/engine.h"

namespace penstock::codec::webp {

/// A bitstream that libwebp decodes, and its place on the canvas.
struct Frame {
  std::span<const uint8_t> bytes;
  Region place;
  bool lossy = true;
};

/// What a status of libwebp means to the user.
std::string_view text_of(VP8StatusCode status);

/// What the header says of the canvas. @throws DataError
WebPBitstreamFeatures features_of(std::span<const uint8_t> bytes);

/// The whole picture, or the first frame of an animation, which may cover a part of the canvas.
/// @throws DataError for a frame that is missing, damaged or reaches beyond the canvas
Frame first_frame(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& canvas);

/// Frames that are there as a whole; 1 where the picture is no animation.
int64_t count_frames(std::span<const uint8_t> bytes, const WebPBitstreamFeatures& canvas);

/// The EXIF block, beginning with its TIFF header; empty where there is none.
std::span<const uint8_t> find_exif(std::span<const uint8_t> bytes);

}  // namespace penstock::codec::webp
