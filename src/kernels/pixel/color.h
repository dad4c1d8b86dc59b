// Linear maps of 8-bit pixels, in float arithmetic, rounded half away from zero; vectorised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock::kernels {

/// out = in * factor + summand, for each of `n` elements.
void affine_row(const uint8_t* in, size_t n, float factor, float summand, uint8_t* out);

/// A linear map of three channels: row-major matrix, then a summand for each channel.
struct Matrix3 {
  std::array<float, 9> m{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> offset{};
};

/// One channel of the mapped pixel. The order of the sums is part of the result.
constexpr float mapped(const Matrix3& matrix, size_t channel, float a, float b, float c) {
  const float* m = &matrix.m[3 * channel];
  return m[0] * a + m[1] * b + m[2] * c + matrix.offset[channel];
}

/// Maps `n` pixels of three interleaved channels.
void matrix3_row(const uint8_t* in, size_t n, const Matrix3& matrix, uint8_t* out);

}  // namespace penstock::kernels
