#include "core/wide_random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>
#include <vector>

namespace penstock {
namespace {

using Block = std::array<uint32_t, 4>;

// The known answers that the authors publish with Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox4x32(0, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint64_t ones = ~uint64_t{0};
  EXPECT_EQ(philox4x32(ones, ones, ones), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The first numbers of SplitMix64 with seed 1234567, as in its author's reference implementation.
TEST(Mix64, KnownAnswers) {
  uint64_t state = 1234567;
  for (const uint64_t expected : {6457827717110365317ull, 3203168211198807973ull, 9817491932198370423ull}) {
    EXPECT_EQ(mix64(state), expected);
    state += 0x9e3779b97f4a7c15ull;
  }
}

TEST(WideRandom, TakesLogarithmsAndCosines) {
  Random random(1, 2, 3);
  for (int i = 0; i < 100000; ++i) {
    const double turn = unit53(random.next(), 0), x = 1 - turn, log = std::log(x);
    ASSERT_LE(std::abs(portable_log(x) - log), 0x1p-51 * std::abs(log)) << x;
    ASSERT_NEAR(cosine_of_turn(turn), std::cos(2 * std::numbers::pi * turn), 0x1p-50) << turn;
  }
  for (const double x : {1., 0x1p-53, 1 - 0x1p-53, 1 - 0x1p-20, .5, 0.70710678118654752})
    EXPECT_LE(std::abs(portable_log(x) - std::log(x)), 0x1p-51 * std::abs(std::log(x))) << x;
  EXPECT_EQ(cosine_of_turn(0), 1);
  EXPECT_EQ(cosine_of_turn(.25), 0);
  EXPECT_EQ(cosine_of_turn(.5), -1);
  EXPECT_EQ(cosine_of_turn(.75), 0);
}

TEST(WideRandom, FillsAllOf53Bits) {
  WideRandom random(Random(1, 2, 3));
  uint64_t seen = 0;
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform();
    ASSERT_TRUE(x >= 0 && x < 1);
    seen |= static_cast<uint64_t>(x * 0x1p53);
  }
  EXPECT_EQ(seen, (uint64_t{1} << 53) - 1);
  EXPECT_EQ(unit53(~0u, ~0u), 1 - 0x1p-53);
}

TEST(Random, IsAFunctionOfSeedEpochAndSample) {
  const auto draw = [](uint64_t seed, uint64_t epoch, uint64_t sample) {
    Random random(seed, epoch, sample);
    std::vector<uint32_t> out;
    for (int i = 0; i < 10; ++i) out.push_back(random.next());
    return out;
  };
  EXPECT_EQ(draw(1, 2, 3), draw(1, 2, 3));
  std::set<std::vector<uint32_t>> all;
  for (uint64_t seed = 0; seed < 8; ++seed)
    for (uint64_t epoch = 0; epoch < 8; ++epoch)
      for (uint64_t sample = 0; sample < 8; ++sample) all.insert(draw(seed, epoch, sample));
  EXPECT_EQ(all.size(), 512u);
}

TEST(Random, FollowsTheBlocksInOrder) {
  Random random(5, 6, 7);
  for (uint64_t block = 0; block < 3; ++block)
    for (const uint32_t expected : philox4x32(mix64(5, 6), 7, block)) EXPECT_EQ(random.next(), expected);
}

/// Counts of 64 equal cells that value() in [0, 1) falls into; Pearson's statistic has mean 63, deviation 11.2.
template <class Draw>
double chi_square(Draw value) {
  constexpr int kDraws = 640'000;
  std::array<int, 64> counts{};
  for (int i = 0; i < kDraws; ++i) ++counts.at(static_cast<size_t>(value(static_cast<uint64_t>(i)) * 64));
  double statistic = 0;
  for (const int count : counts) statistic += std::pow(count - kDraws / 64, 2) / (kDraws / 64);
  return statistic;
}

TEST(Random, IsUniformWithinASample) {
  Random random(1, 0, 0);
  EXPECT_LT(chi_square([&](uint64_t) { return random.uniform(); }), 63 + 4 * 11.2);
}

TEST(Random, IsUniformOverSamplesAndEpochs) {
  EXPECT_LT(chi_square([](uint64_t i) { return Random(1, 0, i).uniform(); }), 63 + 4 * 11.2);
  EXPECT_LT(chi_square([](uint64_t i) { return Random(1, i, 0).uniform(); }), 63 + 4 * 11.2);
  EXPECT_LT(chi_square([](uint64_t i) { return Random(i, 0, 0).uniform(); }), 63 + 4 * 11.2);
}

TEST(Random, BelowIsUniform) {
  Random random(2, 0, 0);
  std::array<int, 7> counts{};
  for (int i = 0; i < 70'000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * 93);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, RangesAreHalfOpen) {
  Random random(3, 0, 0);
  const float above = std::nextafter(1.0f, 2.0f);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.uniform(1.0f, above), 1.0f);
    const float x = random.uniform(-3.0f, -1.0f);
    EXPECT_TRUE(x >= -3.0f && x < -1.0f);
  }
  EXPECT_EQ(random.uniform(2.0f, 2.0f), 2.0f);
  EXPECT_EQ(random.uniform(2.0f, 1.0f), 2.0f);
}

TEST(Random, NormalHasItsMoments) {
  Random random(4, 0, 0);
  constexpr int kDraws = 400'000;
  double mean = 0, square = 0, fourth = 0;
  int beyond_two = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    mean += x / kDraws;
    square += x * x / kDraws;
    fourth += x * x * x * x / kDraws;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(mean, 0, 0.008);
  EXPECT_NEAR(square, 1, 0.012);
  EXPECT_NEAR(fourth, 3, 0.08);
  EXPECT_NEAR(beyond_two, 0.0455 * kDraws, 700);
}

}  // namespace
}  // namespace penstock
