// Pixels of one colour space as pixels of another; bytes to bytes.
#pragma once

#include <array>
#include <cstdint>

#include "core/convert.h"

namespace penstock::kernels {

using Rgb = std::array<uint8_t, 3>;

constexpr uint8_t rounded_byte(float value) { return convert_sat<uint8_t>(value); }

/// BT.601 luma in 15-bit fixed point: what OpenCV, and so DALI on the CPU, computes.
constexpr uint8_t luma(const Rgb& p) {
  return static_cast<uint8_t>((p[0] * 9798 + p[1] * 19235 + p[2] * 3735 + (1 << 14)) >> 15);
}

// BT.601 in studio range: black is 16, white is 235.
inline constexpr float kExpand = 255.f / 219, kCompress = 219.f / 255;

constexpr Rgb to_ycbcr(const Rgb& p) {
  const float r = p[0], g = p[1], b = p[2];
  return {rounded_byte(.25678823529f * r + .50412941176f * g + .09790588235f * b + 16.f),
          rounded_byte(-.14822289945f * r + -.29099278682f * g + .43921568627f * b + 128.f),
          rounded_byte(.43921568627f * r + -.36778831435f * g + -.07142737192f * b + 128.f)};
}

constexpr Rgb from_ycbcr(const Rgb& p) {
  const float y = kExpand * (static_cast<float>(p[0]) - 16), b = static_cast<float>(p[1]) - 128,
              r = static_cast<float>(p[2]) - 128;
  return {rounded_byte(y + 1.5960267848f * r), rounded_byte(y - .39176228842f * b - .81296764538f * r),
          rounded_byte(y + 2.0172321417f * b)};
}

constexpr uint8_t expanded(uint8_t y) { return rounded_byte(kExpand * (static_cast<float>(y) - 16)); }
constexpr uint8_t compressed(uint8_t gray) { return rounded_byte(static_cast<float>(gray) * kCompress + 16.f); }
constexpr Rgb reversed(const Rgb& p) { return {p[2], p[1], p[0]}; }

}  // namespace penstock::kernels
