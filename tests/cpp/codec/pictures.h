// Made-up pictures and the plain decode that region decoding is compared with.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include <penstock/tensor.h>

#include "codec/codec.h"

namespace penstock::codec {

/// A picture in memory, HWC.
struct Picture {
  std::vector<uint8_t> data;
  TensorView view;

  Picture(int64_t height, int64_t width, int64_t channels)
      : data(static_cast<size_t>(height * width * channels)),
        view{{DType::kUInt8, {height, width, channels}, "HWC"}, reinterpret_cast<std::byte*>(data.data())} {}
};

/// Smooth colours with an edge now and then, so that interpolation and ringing show.
inline Picture make_picture(int64_t height, int64_t width, int64_t channels) {
  Picture picture(height, width, channels);
  size_t i = 0;
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c, ++i) {
        const int64_t slope = (c + 2) * x + (5 - c) * y;
        const int64_t edge = ((x / 7 + y / 5 + c) % 3) * 60;
        picture.data[i] = static_cast<uint8_t>((slope + edge) % 256);
      }
  return picture;
}

/// Bytes of a region as requested.
inline std::vector<std::byte> decode(Decoder& decoder, std::span<const uint8_t> file, const Request& request) {
  const Info info = peek(file);
  const TensorDesc desc = describe(info, request);
  const size_t pixel = static_cast<size_t>(desc.shape[2]) * size_of(desc.dtype);
  std::vector<std::byte> out(static_cast<size_t>(request.height * request.width) * pixel);
  decoder.decode(file, info, request, out.data());
  return out;
}

inline std::vector<std::byte> decode_whole(Decoder& decoder, std::span<const uint8_t> file, Request request = {}) {
  return decode(decoder, file, whole(peek(file), request));
}

/// The part of a whole decode that the region's request asks for.
inline std::vector<std::byte> crop(const std::vector<std::byte>& all, const TensorDesc& desc, const Request& region) {
  const size_t pixel = static_cast<size_t>(desc.shape[2]) * size_of(desc.dtype);
  std::vector<std::byte> out(static_cast<size_t>(region.height * region.width) * pixel);
  const size_t row = static_cast<size_t>(region.width) * pixel;
  for (int64_t y = 0; y < region.height; ++y) {
    const size_t from = static_cast<size_t>((region.y0 + y) * desc.shape[1] + region.x0) * pixel;
    std::memcpy(out.data() + static_cast<size_t>(y) * row, all.data() + from, row);
  }
  return out;
}

}  // namespace penstock::codec
