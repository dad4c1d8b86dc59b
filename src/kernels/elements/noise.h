// What noise makes of an element. One body for CPUs and GPUs, in double precision, so that they agree.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/random.h"
#include "kernels/elements/job.h"

namespace penstock::kernels {

/// The four random words behind one counter of a noise's own stream.
template <class = void>
constexpr std::array<uint32_t, 4> noise_words(const NoiseTable& table, uint64_t counter) {
  return philox4x32(mix64(table.seed, table.epoch), table.sample, counter);
}

/// In (0, 1): the centre of one of 2^32 intervals.
template <class = void>
constexpr double open_unit(uint32_t word) {
  return (static_cast<double>(word) + .5) * 0x1p-32;
}

/// Two standard normal numbers (Box and Muller, 1958).
struct NormalPair {
  double first, second;
};
template <class = void>
constexpr NormalPair normal_pair(uint32_t a, uint32_t b) {
  const double radius = std::sqrt(-2 * std::log(open_unit(a))), angle = 6.283185307179586 * open_unit(b);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// What neighbours share, kept from one element to the next: four a block of random words, two a pair.
struct NoiseBlock {
  uint64_t counter = ~uint64_t{0}, number = ~uint64_t{0};  ///< of words; of pair
  std::array<uint32_t, 4> words{};
  NormalPair pair{};
};

template <class = void>
constexpr uint32_t word_at(const NoiseTable& table, uint64_t index, NoiseBlock& last) {
  if (last.counter != index / 4) last.words = noise_words(table, last.counter = index / 4);
  return last.words[index % 4];
}

/// Element `index` of standard normal noise.
template <class = void>
constexpr double normal_at(const NoiseTable& table, uint64_t index, NoiseBlock& last) {
  if (last.number != index / 2) {
    const uint32_t first = word_at(table, index & ~uint64_t{1}, last), second = word_at(table, index | 1, last);
    last.number = index / 2;
    last.pair = normal_pair(first, second);
  }
  return index & 1 ? last.pair.second : last.pair.first;
}

/// ln(k!), to 1e-10 (Stirling's series with three terms, from k = 8 on).
template <class = void>
constexpr double log_factorial(double k) {
  double low = 0;
  for (; k < 8; ++k) low -= std::log(k + 1);
  const double x = k + 1, r = 1 / x, r2 = r * r;
  return low + (x - .5) * std::log(x) - x + .918938533204672742 + r * (1. / 12 - r2 * (1. / 360 - r2 / 1260));
}

/// A Poisson number of small mean: one uniform number is compared with the running sum of probabilities.
template <class = void>
constexpr double poisson_by_sum(double mean, double uniform) {
  double k = 0, probability = std::exp(-mean), sum = probability;
  while (uniform > sum && k < 200) {
    ++k;
    probability *= mean / k;
    sum += probability;
  }
  return k;
}

/// A Poisson number of a mean from 10 on: transformed rejection (Hormann, "The transformed rejection method for
/// generating Poisson random variables", 1993, algorithm PTRS).
template <class = void>
constexpr double poisson_by_rejection(double mean, const NoiseTable& table, uint64_t counter, int attempts) {
  const double b = .931 + 2.53 * std::sqrt(mean), a = -.059 + .02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), limit = .9277 - 3.6224 / (b - 2), log_mean = std::log(mean);
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const auto words = noise_words(table, counter + static_cast<uint64_t>(attempt));
    const double u = open_unit(words[0]) - .5, v = open_unit(words[1]), us = .5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + .43);
    if (us >= .07 && v <= limit) return k;
    if (k < 0 || (us < .013 && v > us)) continue;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_mean - mean - log_factorial(k)) return k;
  }
  return std::floor(mean + .5);  // one in 2^64 comes here
}

template <class = void>
constexpr double poisson_at(const NoiseTable& table, uint64_t index, double mean) {
  constexpr int kAttempts = 32;
  const uint64_t counter = index * kAttempts;
  if (!(mean > 0)) return 0;
  if (mean < 10) return poisson_by_sum(mean, open_unit(noise_words(table, counter)[0]));
  return poisson_by_rejection(mean, table, counter, kAttempts);
}

/// One word decides: its lowest values stand for salt, those behind them for pepper.
template <class = void>
constexpr double salted(const NoiseTable& table, uint32_t word, double value) {
  const double unit = open_unit(word);
  if (!(unit < table.a)) return value;
  return unit < table.a * table.b ? table.salt : table.pepper;
}

/// What becomes of `value`, the element or pixel number `index` of the tensor.
template <class = void>
constexpr double noisy(const NoiseTable& table, uint64_t index, double value, NoiseBlock& last) {
  switch (table.kind) {
    case Noise::kGaussian:
      return value + (table.a + table.b * normal_at(table, index, last));
    case Noise::kShot:
      return table.a == 0 ? value : poisson_at(table, index, value / table.a) * table.a;
    default:
      return salted(table, word_at(table, index, last), value);
  }
}

/// The same for the lanes of a machine. Not inlined: the code would be in each of its programs.
template <int kLanes>
[[gnu::noinline]] constexpr void add_noise(const NoiseTable& table, const uint64_t (&index)[kLanes], int count,
                                           double (&values)[kLanes]) {
  NoiseBlock last;
  for (int k = 0; k < count; ++k) values[k] = noisy(table, index[k], values[k], last);
}

}  // namespace penstock::kernels
