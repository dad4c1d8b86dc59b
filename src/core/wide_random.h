// Random numbers in double precision: 53 bits, each of two draws. Only products, sums, quotients and roots, which are
// rounded alike everywhere, so that CPUs and GPUs draw the same numbers; their libraries' log() and cos() are not.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/random.h"

namespace penstock {

/// Uniform in [0, 1), 53 bits.
constexpr double unit53(uint32_t high, uint32_t low) {
  return static_cast<double>(uint64_t{high} << 21 | low >> 11) * 0x1p-53;
}

/// Uniform in [low, high) from a number in [0, 1); `low` when the range is empty.
constexpr double between(float low, float high, double unit) {
  const double x = static_cast<double>(low) + (static_cast<double>(high) - static_cast<double>(low)) * unit;
  return x < static_cast<double>(high) ? x : static_cast<double>(low);  // rounding may reach the open end
}

/// The natural logarithm of x, which is normal and positive, within 2 ulp: x is 2^e times a number m near 1, and
/// log(m) is 2 artanh((m - 1) / (m + 1)), whose series is cut where terms fall below 2^-54.
constexpr double portable_log(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  auto e = static_cast<double>(static_cast<int64_t>(bits >> 52) - 1023);
  auto m = std::bit_cast<double>((bits & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    e += 1;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = 0;
  for (int k = 25; k >= 3; k -= 2) series = (series + 1.0 / k) * z;
  constexpr double kHigh = 0x1.62e42feep-1, kLow = 0x1.a39ef35793c76p-33;  // of log(2); e * kHigh is exact
  return e * kHigh + (2 * s + (2 * s * series + e * kLow));
}

/// cos(2 pi turn) for a turn in [0, 1), within 2^-52: by the series of cos and sin within an eighth of a turn.
constexpr double cosine_of_turn(double turn) {
  const auto quarter = static_cast<int>(turn * 4 + 0.5);
  const double x = (turn - quarter * 0.25) * 6.283185307179586, z = x * x;
  double cosine = 1, sine = 1;
  for (int k = 18; k >= 2; k -= 2) {
    cosine = 1 - cosine * z / (k * (k - 1));
    sine = 1 - sine * z / (k * (k + 1));
  }
  sine *= x;
  switch (quarter % 4) {
    case 0:
      return cosine;
    case 1:
      return -sine;
    case 2:
      return -cosine;
    default:
      return sine;
  }
}

/// Standard normal (Box-Muller) from two numbers in [0, 1).
template <class = void>
constexpr double normal_of(double radius, double turn) {
  return std::sqrt(-2 * portable_log(1 - radius)) * cosine_of_turn(turn);
}

/// What Random draws, in double precision.
class WideRandom : public Random {
 public:
  explicit WideRandom(const Random& random) : Random(random) {}
  double uniform() {
    const uint32_t high = next();
    return unit53(high, next());
  }
  double uniform(float low, float high) { return between(low, high, uniform()); }
  double normal() {
    const double radius = uniform();
    return normal_of(radius, uniform());
  }
};

}  // namespace penstock
