// What noise makes of an element. One body for CPUs and GPUs.
#pragma once

#include <array>
#include <cstdint>

#include "core/random.h"
#include "kernels/elements/job.h"
#include "kernels/elements/normal.h"
#include "kernels/elements/poisson.h"

namespace penstock::kernels {

using NoiseWords = std::array<uint32_t, 4>;

/// The four random words behind one counter of a noise's own stream.
template <class = void>
constexpr NoiseWords noise_words(const NoiseTable& table, uint64_t counter) {
  return philox4x32(mix64(table.seed, table.epoch), table.sample, counter);
}

/// What neighbours share, kept from one element to the next: four a block of random words, two a pair.
template <class Real>
struct NoiseBlock {
  uint64_t counter = ~uint64_t{0}, number = ~uint64_t{0};  ///< of words; of pair
  NoiseWords words{};
  NormalPair<Real> pair{};
};

template <class Real>
constexpr uint32_t word_at(const NoiseTable& table, uint64_t index, NoiseBlock<Real>& last) {
  if (last.counter != index / 4) last.words = noise_words(table, last.counter = index / 4);
  return last.words[index % 4];
}

/// Element `index` of standard normal noise.
template <class Real>
constexpr Real normal_at(const NoiseTable& table, uint64_t index, NoiseBlock<Real>& last) {
  if (last.number != index / 2) {
    const uint32_t first = word_at(table, index & ~uint64_t{1}, last), second = word_at(table, index | 1, last);
    last.number = index / 2;
    last.pair = normal_pair<Real>(first, second);
  }
  return index & 1 ? last.pair.second : last.pair.first;
}

template <class Real>
constexpr Real with_normal(const NoiseTable& table, Real normal, Real value) {
  return value + (static_cast<Real>(table.a) + static_cast<Real>(table.b) * normal);
}

/// One word decides: its lowest values stand for salt, those behind them for pepper.
template <class Real>
constexpr Real with_salt(const NoiseTable& table, uint32_t word, Real value) {
  if (word >= table.noisy_below) return value;
  return static_cast<Real>(word < table.salt_below ? table.salt : table.pepper);
}

/// @param word that a small mean needs; a larger one has a stream of its own, of some words for each element
template <class Real>
constexpr Real with_shots(const NoiseTable& table, uint64_t index, uint32_t word, Real value) {
  if (table.a == 0) return value;
  const double mean = static_cast<double>(value) / table.a;
  if (!(mean > 0)) return 0;
  double count = 0;
  if (mean < kLargePoissonMean) {
    count = poisson_by_sum(mean, open_unit(word));
  } else {
    constexpr int kAttempts = 32;
    const uint64_t own = (uint64_t{1} << 63) + index * kAttempts;
    count = poisson_by_rejection(mean, kAttempts,
                                 [&](int attempt) { return noise_words(table, own + static_cast<uint64_t>(attempt)); });
  }
  return static_cast<Real>(count * table.a);
}

/// What becomes of `value`, the element or pixel number `index` of the tensor.
template <class Real>
constexpr Real noisy(const NoiseTable& table, uint64_t index, Real value, NoiseBlock<Real>& last) {
  switch (table.kind) {
    case Noise::kGaussian:
      return with_normal(table, normal_at(table, index, last), value);
    case Noise::kShot:
      return with_shots(table, index, word_at(table, index, last), value);
    default:
      return with_salt(table, word_at(table, index, last), value);
  }
}

/// The same for some elements. Not inlined: the code would be in each program of each machine.
template <int kLanes, class Number, class Real>
[[gnu::noinline]] constexpr void add_noise(const NoiseTable& table, const Number (&index)[kLanes], int count,
                                           Real (&values)[kLanes]) {
  NoiseBlock<Real> last;
  for (int k = 0; k < count; ++k) values[k] = noisy(table, uint64_t{index[k]}, values[k], last);
}

}  // namespace penstock::kernels
