#include "codec/pillow.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "core/dispatch.h"

namespace penstock::codec {
namespace {

// Pillow keeps integers of more than 16 bits as int32, and those of 8 bits as uint8.
template <class T>
uint8_t clipped(T value) {
  if constexpr (std::floating_point<T>) return value >= 255 ? 255 : value > 0 ? static_cast<uint8_t>(value) : 0;
  if constexpr (std::is_same_v<T, int8_t>) return static_cast<uint8_t>(value);
  if constexpr (std::is_same_v<T, uint32_t>) return clipped(static_cast<int32_t>(value));
  return static_cast<uint8_t>(std::clamp<int64_t>(static_cast<int64_t>(value), 0, 255));
}

// The upper byte of a colour.
template <class T>
uint8_t upper(T value, int bits) {
  if constexpr (std::unsigned_integral<T>) return static_cast<uint8_t>(bits > 8 ? value >> (bits - 8) : value);
  return clipped(value);
}

void inks_to_rgb(int c, int m, int y, int k, uint8_t* rgb) {
  const int light = 255 - k;
  const int inks[] = {c, m, y};
  for (int i = 0; i < 3; ++i) {
    const int product = inks[i] * light + 128;  // divided by 255, to nearest
    rgb[i] = static_cast<uint8_t>(std::clamp(light - (((product >> 8) + product) >> 8), 0, 255));
  }
}

template <class T>
void convert(const T* pixel, const Info& info, const Samples& samples, size_t count, uint8_t* rgb) {
  const auto byte = [&](int c) -> int { return upper(pixel[c], samples.bits); };
  // Pillow takes all JPEG files of inks for Adobe's, which store light.
  const int flip = info.format->name == "JPEG" ? 255 : 0;
  for (; count > 0; --count, pixel += samples.channels, rgb += 3) {
    if (info.cmyk) {
      inks_to_rgb(byte(0) ^ flip, byte(1) ^ flip, byte(2) ^ flip, byte(3) ^ flip, rgb);
    } else if (info.associated_alpha) {
      for (int c = 0; c < 3; ++c)
        rgb[c] = static_cast<uint8_t>(byte(3) == 0 ? 0 : std::min(byte(c) * 255 / byte(3), 255));
    } else if (samples.channels == 1) {
      // Its gray of 16 bits is what is stored, be the lowest value white or not.
      const T value = info.lowest_is_white ? static_cast<T>((uint64_t{1} << samples.bits) - 1 - pixel[0]) : pixel[0];
      std::fill_n(rgb, 3, clipped(value));
    } else {
      for (int c = 0; c < 3; ++c) rgb[c] = static_cast<uint8_t>(byte(samples.channels < 3 ? 0 : c));
    }
  }
}

}  // namespace

bool pillow_differs(const Info& info) {
  if (info.format->name == "PNM" && info.channels == 3) return false;
  return info.cmyk || info.associated_alpha || info.bits > 8 || info.kind != SampleKind::kUnsigned;
}

void pillow_rgb(const std::byte* stored, const Info& info, const Samples& samples, size_t count, uint8_t* rgb) {
  dispatch_among<uint8_t, uint16_t, uint32_t, int8_t, int16_t, int32_t, float>(samples.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    convert(reinterpret_cast<const T*>(stored), info, samples, count, rgb);
  });
}

}  // namespace penstock::codec
