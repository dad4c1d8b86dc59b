// Rows of full-size components to pixels, with libjpeg's fixed-point arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::codec::jpeg {

struct Rgb {
  uint8_t r, g, b;
};

/// Colours before they are clamped to bytes.
struct ColourSums {
  int r, g, b;
};

/// JFIF's YCbCr in 16 fractional bits. Red's and blue's share of chroma is rounded before it is added.
constexpr ColourSums ycc_sums(int y, int cb, int cr) {
  constexpr int kHalf = 1 << 15;
  constexpr int kCrToR = 91881, kCbToB = 116130, kCrToG = -46802, kCbToG = -22554;
  cb -= 128;
  cr -= 128;
  return {y + ((kCrToR * cr + kHalf) >> 16), y + ((kCbToG * cb + kCrToG * cr + kHalf) >> 16),
          y + ((kCbToB * cb + kHalf) >> 16)};
}

constexpr Rgb ycc_to_rgb(int y, int cb, int cr) {
  const auto clamp = [](int value) { return static_cast<uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value); };
  const ColourSums sums = ycc_sums(y, cb, cr);
  return {clamp(sums.r), clamp(sums.g), clamp(sums.b)};
}

/// The readers below may read kRowSlack bytes more than `n` of each row; nothing is written beyond `n` pixels.

/// Interleaves red, green and blue; in reverse order for `bgr`.
void ycc_row(const uint8_t* y, const uint8_t* cb, const uint8_t* cr, size_t n, bool bgr, uint8_t* out);

/// Interleaves three rows as they are.
void interleave_row(const uint8_t* a, const uint8_t* b, const uint8_t* c, size_t n, uint8_t* out);

/// Four components that are inks already: interleaves them.
void cmyk_row(const uint8_t* const rows[4], size_t n, uint8_t* out);

/// Adobe's YCCK: inks from YCbCr, black as stored.
void ycck_row(const uint8_t* const rows[4], size_t n, uint8_t* out);

/// Inks to light, truncating, as DALI does. Adobe's programs store ink inverted, that is, as light.
void cmyk_to_rgb(const uint8_t* cmyk, size_t n, bool inverted, uint8_t* rgb);

}  // namespace penstock::codec::jpeg
