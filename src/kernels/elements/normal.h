// Pairs of standard normal numbers from pairs of random words (Box and Muller, 1958). One body for CPUs and GPUs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace penstock::kernels {

template <class Real>
struct NormalPair {
  Real first, second;
};

/// In (0, 1): the centre of one of 2^32 intervals.
template <class = void>
constexpr double open_unit(uint32_t word) {
  return (static_cast<double>(word) + .5) * 0x1p-32;
}

/// ln((word + 1/2) / 2^32) to 1e-7 of itself, except for the last 256 words, where it is 0. CPUs and GPUs round each
/// operation alike, so they give the same bits; their libraries' logarithms would not.
template <class = void>
constexpr float log_unit(uint32_t word) {
  const auto bits = std::bit_cast<int32_t>(static_cast<float>(word) + .5f);
  const int32_t exponent = (bits - 0x3f3504f3) >> 23;  // so that the mantissa lies around 1, from sqrt(1/2) on
  const float f = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1, f2 = f * f;
  // Chebyshev's fit of (ln(1 + f) - f + f^2 / 2) / f^3.
  float p = .07149754f;
  p = p * f - .115712013f;
  p = p * f + .116615117f;
  p = p * f - .124110505f;
  p = p * f + .142499357f;
  p = p * f - .166684806f;
  p = p * f + .200007081f;
  p = p * f - .249999896f;
  p = p * f + .333333313f;
  return p * f2 * f - .5f * f2 + f + static_cast<float>(exponent - 32) * .693147182f;
}

/// Cosine and sine of (word + 1/2) / 2^32 of a turn, to 2e-7. Bits as above.
template <class = void>
constexpr NormalPair<float> turned(uint32_t word) {
  const uint32_t quarter = (word + (1u << 29)) >> 30;  // the nearest one; the fourth is the first
  const auto beyond = static_cast<float>(static_cast<int32_t>(word - (quarter << 30))) + .5f;
  const float t = beyond * 1.4629180793e-9f, z = t * t;  // 2 pi / 2^32
  const float sine = t + t * z * (-.16666664f + z * (.008332749f + z * -.00019587931f));
  const float cosine = 1 - .5f * z + z * z * (.041666664f + z * (-.0013888304f + z * 2.4547971e-5f));
  const bool swaps = quarter & 1;
  const float x = swaps ? sine : cosine, y = swaps ? cosine : sine;
  return {(quarter + 1) & 2 ? -x : x, quarter & 2 ? -y : y};
}

/// Of float or double, with 24 or 32 random bits.
template <class Real>
constexpr NormalPair<Real> normal_pair(uint32_t a, uint32_t b) {
  if constexpr (sizeof(Real) == sizeof(float)) {
    const float log = log_unit(a), radius = std::sqrt(-2 * (log < 0 ? log : 0.f));
    const NormalPair<float> turn = turned(b);
    return {radius * turn.first, radius * turn.second};
  } else {
    const double radius = std::sqrt(-2 * std::log(open_unit(a))), angle = 6.283185307179586 * open_unit(b);
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }
}

}  // namespace penstock::kernels
