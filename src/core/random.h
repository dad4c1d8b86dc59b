// Random numbers that are a pure function of (operator seed, epoch, sample, draw).
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): a counter-based generator, so
// no state is kept and neither threads, batches, shards nor devices can change what a sample gets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace penstock {

/// A bijective 64-bit mixer (the finaliser of SplitMix64).
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

constexpr uint64_t mix64(uint64_t a, uint64_t b) { return mix64(mix64(a) ^ (b * 0x9e3779b97f4a7c15ull)); }

/// One block of four 32-bit numbers.
constexpr std::array<uint32_t, 4> philox4x32(uint64_t key, uint64_t high, uint64_t low) {
  auto k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  std::array<uint32_t, 4> c = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                               static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = 0xd2511f53ull * c[0], b = 0xcd9e8d57ull * c[2];
    c = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
         static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)};
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  return c;
}

/// The random numbers of one sample at one operator, drawn in order.
class Random {
 public:
  Random(uint64_t op_seed, uint64_t epoch, uint64_t sample) : key_(mix64(op_seed, epoch)), sample_(sample) {}

  uint32_t next() {
    if (used_ == 4) {
      block_ = philox4x32(key_, sample_, draw_++);
      used_ = 0;
    }
    return block_[static_cast<size_t>(used_++)];
  }
  /// Uniform in [0, 1), 24 bits.
  float uniform() { return static_cast<float>(next() >> 8) * 0x1p-24f; }
  /// Uniform in [low, high); `low` when the range is empty. high - low must be finite.
  float uniform(float low, float high) {
    const float x = low + (high - low) * uniform();
    return x < high ? x : low;  // rounding may reach the open end
  }
  /// Uniform in {0, ..., n - 1} by multiply-shift; the bias is below n / 2^32.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((uint64_t{next()} * n) >> 32); }
  /// The same for more than 2^32 numbers, of 64 bits: two draws.
  uint64_t below64(uint64_t n) {
    const uint64_t high = next();
    return static_cast<uint64_t>(static_cast<unsigned __int128>(high << 32 | next()) * n >> 64);
  }
  /// Standard normal (Box-Muller).
  float normal();

 private:
  uint64_t key_, sample_, draw_ = 0;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

}  // namespace penstock
