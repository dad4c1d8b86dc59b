// Colours to samples and coefficients to multiples of steps, as libjpeg computes them: one number at a time.
#pragma once

#include <cstdint>

namespace penstock::kernels {

struct Ycc {
  int y, cb, cr;
};

/// JFIF's YCbCr in 16 fractional bits. The half that rounds chroma is one unit short, so that it never reaches 256.
constexpr Ycc ycc_of(int r, int g, int b) {
  constexpr int kHalf = 1 << 15, kMiddle = 128 << 16;
  return {(19595 * r + 38470 * g + 7471 * b + kHalf) >> 16,
          (-11059 * r - 21709 * g + 32768 * b + kMiddle + kHalf - 1) >> 16,
          (32768 * r - 27439 * g - 5329 * b + kMiddle + kHalf - 1) >> 16};
}

/// A sample of chroma for two by two pixels. Rounding alternates along a row, so that no bias arises.
constexpr int chroma_of(int sum, int column) { return (sum + 1 + (column & 1)) >> 2; }

/// The multiple of `step` that is nearest to an eighth of `transformed`, ties away from zero.
struct JpegStep {
  // Eighths are less than 2^11: products fit, and the inverse's error stays below one part in them.
  static constexpr int kBits = 20;

  static constexpr JpegStep of(int step) {
    return {step, ((1U << kBits) + static_cast<uint32_t>(step) - 1) / static_cast<uint32_t>(step)};
  }
  /// @param transformed what forward_pass() has left of samples of 8 bits: less than 2^14 - 1020
  constexpr int nearest(int transformed) const {
    const int size = transformed < 0 ? -transformed : transformed;
    const auto eighth = static_cast<uint32_t>(size + 4 * step) >> 3;
    const int multiple = static_cast<int>(eighth * inverse >> kBits) * step;
    return transformed < 0 ? -multiple : multiple;
  }

  int step;
  uint32_t inverse;  ///< rounded up
};

/// The arithmetic of the transforms' passes, for samples of pictures: sums of 16 bits do not wrap around there.
struct SampleOps {
  constexpr int add(int a, int b) const { return a + b; }
  constexpr int sub(int a, int b) const { return a - b; }
  constexpr int scale(int a) const { return a * (1 << 13); }
  template <int kA, int kB>
  constexpr int pair(int a, int b) const {
    return a * kA + b * kB;
  }
  constexpr int sum(int a, int b) const { return a + b; }
  constexpr int difference(int a, int b) const { return a - b; }
  template <int kShift>
  constexpr int narrow(int a) const {
    return (a + (1 << (kShift - 1))) >> kShift;
  }
};

}  // namespace penstock::kernels
