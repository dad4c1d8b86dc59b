#include "codec/webp/animation.h"

#include "core/check.h"

namespace penstock::codec::webp {

Animation::Animation(std::span<const uint8_t> bytes) {
  WebPAnimDecoderOptions options;
  WebPAnimDecoderOptionsInit(&options);
  options.color_mode = MODE_RGBA;
  const WebPData data{bytes.data(), bytes.size()};
  decoder_.reset(WebPAnimDecoderNew(&data, &options));
  PENSTOCK_CHECK(decoder_ && WebPAnimDecoderGetInfo(decoder_.get(), &facts_), DataError,
                 "the animation is damaged or cut off");
}

const uint8_t* Animation::next() {
  uint8_t* pixels = nullptr;
  int milliseconds = 0;
  PENSTOCK_CHECK(WebPAnimDecoderGetNext(decoder_.get(), &pixels, &milliseconds), DataError,
                 "a frame of the animation is damaged");
  return pixels;
}

}  // namespace penstock::codec::webp
