// Poisson numbers. One body for CPUs and GPUs, in double precision, so that they agree.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/elements/normal.h"

namespace penstock::kernels {

/// From this mean on, rejection takes fewer steps than the sum.
inline constexpr double kLargePoissonMean = 10;

/// ln(k!), to 1e-10 (Stirling's series with three terms, from k = 8 on).
template <class = void>
constexpr double log_factorial(double k) {
  double low = 0;
  for (; k < 8; ++k) low -= std::log(k + 1);
  const double x = k + 1, r = 1 / x, r2 = r * r;
  return low + (x - .5) * std::log(x) - x + .918938533204672742 + r * (1. / 12 - r2 * (1. / 360 - r2 / 1260));
}

/// A Poisson number of small mean: one uniform number is compared with the running sum of probabilities. Their
/// quotients are rounded to float (6e-8), as a GPU divides doubles four times as slowly.
template <class = void>
constexpr double poisson_by_sum(double mean, double uniform) {
  float k = 0;
  double probability = std::exp(-mean), sum = probability;
  while (uniform > sum && k < 200) {
    ++k;
    probability *= mean * static_cast<double>(1 / k);
    sum += probability;
  }
  return static_cast<double>(k);
}

/// A Poisson number of large mean: transformed rejection (Hormann, "The transformed rejection method for generating
/// Poisson random variables", 1993, algorithm PTRS).
/// @param draw gives two words for each attempt
template <class Draw>
constexpr double poisson_by_rejection(double mean, int attempts, Draw&& draw) {
  const double b = .931 + 2.53 * std::sqrt(mean), a = -.059 + .02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = .9277 - 3.6224 / (b - 2), log_mean = std::log(mean);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto words = draw(attempt);
    const double u = open_unit(words[0]) - .5, v = open_unit(words[1]), us = .5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + .43);
    if (us >= .07 && v <= limit) return k;
    if (k < 0 || (us < .013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_mean - mean - log_factorial(k)) return k;
  }
  return std::floor(mean + .5);  // one in 2^64 comes here
}

}  // namespace penstock::kernels
