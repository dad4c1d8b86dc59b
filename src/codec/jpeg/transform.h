// The cosine transforms of libjpeg's "islow": Loeffler, Ligtenberg and Moschytz, 13-bit constants, the two passes
// rounded as there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace penstock::codec::jpeg {

inline constexpr int kConstantBits = 13;
/// Bits that the first pass (columns) leaves for the second (rows).
inline constexpr int kPassBits = 2;
inline constexpr int kFirstShift = kConstantBits - kPassBits;
inline constexpr int kSecondShift = kConstantBits + kPassBits + 3;
/// The forward transform's second pass, of columns there.
inline constexpr int kForwardShift = kConstantBits + kPassBits;

#include "codec/jpeg/forward_pass.inc"
#include "codec/jpeg/inverse_pass.inc"

/// The arithmetic on single numbers.
struct ScalarOps {
  constexpr int16_t add(int16_t a, int16_t b) const { return static_cast<int16_t>(a + b); }
  constexpr int16_t sub(int16_t a, int16_t b) const { return static_cast<int16_t>(a - b); }
  constexpr uint32_t scale(int16_t a) const { return static_cast<uint32_t>(a) << kConstantBits; }
  template <int kA, int kB>
  constexpr uint32_t pair(int16_t a, int16_t b) const {
    return static_cast<uint32_t>(a * kA) + static_cast<uint32_t>(b * kB);
  }
  constexpr uint32_t sum(uint32_t a, uint32_t b) const { return a + b; }
  constexpr uint32_t difference(uint32_t a, uint32_t b) const { return a - b; }
  template <int kShift>
  constexpr int16_t narrow(uint32_t a) const {
    const int32_t value = static_cast<int32_t>(a + (1U << (kShift - 1))) >> kShift;
    return static_cast<int16_t>(value < -32768 ? -32768 : value > 32767 ? 32767 : value);
  }
};

/// Dequantises and transforms one block of 64 coefficients in natural order to eight rows of eight samples.
constexpr void inverse_dct_block(const int16_t* block, const uint16_t* quantisation, uint8_t* out, size_t stride) {
  int16_t rows[8][8] = {};
  int16_t below = 0;
  for (int i = 8; i < 64; ++i) below |= block[i];
  for (int column = 0; column < 8; ++column) {
    int16_t x[8] = {};
    for (int i = 0; i < 8; ++i) x[i] = static_cast<int16_t>(block[8 * i + column] * int{quantisation[8 * i + column]});
    // libjpeg-turbo's way out for blocks without vertical frequencies: equal, but for wrapping around in 16 bits.
    const auto flat = static_cast<int16_t>(x[0] * (1 << kPassBits));
    inverse_pass<kFirstShift>(ScalarOps(), x);
    for (int i = 0; i < 8; ++i) rows[i][column] = below == 0 ? flat : x[i];
  }
  for (int i = 0; i < 8; ++i) {
    inverse_pass<kSecondShift>(ScalarOps(), rows[i]);
    for (int k = 0; k < 8; ++k) {
      const int sample = rows[i][k] + 128;
      out[static_cast<size_t>(i) * stride + static_cast<size_t>(k)] = static_cast<uint8_t>(sample < 0     ? 0
                                                                                           : sample > 255 ? 255
                                                                                                          : sample);
    }
  }
}

}  // namespace penstock::codec::jpeg
