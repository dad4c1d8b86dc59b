#include "order/permutation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace penstock::order {
namespace {

std::vector<uint64_t> all(uint64_t n, uint64_t key) {
  const Permutation permutation(n, key);
  std::vector<uint64_t> out(n);
  for (uint64_t i = 0; i < n; ++i) out[i] = permutation(i);
  return out;
}

/// Pearson's statistic minus its mean, in standard deviations, for equally likely cells.
double chi_square_score(const std::vector<int>& counts) {
  const double expected = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double statistic = 0;
  for (const int count : counts) statistic += (count - expected) * (count - expected) / expected;
  const auto freedom = static_cast<double>(counts.size() - 1);
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

TEST(Permutation, IsABijection) {
  for (uint64_t n = 1; n <= 2000; ++n) {
    auto values = all(n, n);
    std::sort(values.begin(), values.end());
    for (uint64_t i = 0; i < n; ++i) ASSERT_EQ(values[i], i) << "n = " << n;
  }
}

TEST(Permutation, IsABijectionOfManySamples) {
  for (const uint64_t n : {uint64_t{1'281'167}, (uint64_t{1} << 20) + 1}) {
    auto values = all(n, 7);
    std::sort(values.begin(), values.end());
    for (uint64_t i = 0; i < n; ++i) ASSERT_EQ(values[i], i);
  }
}

TEST(Permutation, StaysInRangeForHugeSizes) {
  const uint64_t n = (uint64_t{1} << 42) - 1;
  const Permutation permutation(n, 1);
  for (uint64_t i = 0; i < 1000; ++i) EXPECT_LT(permutation(n - 1 - i), n);
}

TEST(Permutation, IsAFunctionOfSizeAndKey) {
  EXPECT_EQ(all(100, 3), all(100, 3));
  EXPECT_NE(all(100, 3), all(100, 4));
  EXPECT_EQ(all(10, 1), (std::vector<uint64_t>{2, 9, 0, 4, 1, 7, 3, 8, 5, 6}))
      << "the order is part of what a saved run relies on";
}

TEST(Permutation, MixesSmallSizes) {
  for (uint64_t n = 5; n <= 12; ++n) {
    // Every ordered pair of values at every pair of neighbouring positions, over many keys.
    std::vector<std::vector<int>> pairs(n, std::vector<int>(n * n)), single(n, std::vector<int>(n));
    for (uint64_t key = 0; key < 200'000; ++key) {
      const auto values = all(n, key);
      for (uint64_t i = 0; i < n; ++i) {
        ++single[i][values[i]];
        ++pairs[i][values[i] * n + values[(i + 1) % n]];
      }
    }
    for (uint64_t i = 0; i < n; ++i) {
      EXPECT_LT(chi_square_score(single[i]), 5) << "n = " << n << ", position " << i;
      std::erase(pairs[i], 0);  // equal values cannot follow each other
      EXPECT_EQ(pairs[i].size(), n * (n - 1));
      EXPECT_LT(chi_square_score(pairs[i]), 5) << "n = " << n << ", position " << i;
    }
  }
}

TEST(Permutation, NeighboursDoNotStayTogether) {
  const uint64_t n = 1'281'167;
  const auto values = all(n, 42);
  std::vector<int> gaps(64), places(64);
  for (uint64_t i = 0; i + 1 < n; ++i) {
    ++gaps[(values[i + 1] + n - values[i]) % n * 64 / n];
    if (i < n / 64) ++places[values[i] * 64 / n];
  }
  EXPECT_LT(chi_square_score(gaps), 5);
  EXPECT_LT(chi_square_score(places), 5);
}

TEST(BlockPermutation, IsABijection) {
  for (uint64_t n = 1; n <= 60; ++n)
    for (uint64_t block = 1; block <= 12; ++block)
      for (const uint64_t mix : {1, 2, 3, 100}) {
        const BlockPermutation blocks(n, block, mix, n * block);
        std::vector<bool> seen(n);
        for (uint64_t i = 0; i < n; ++i) {
          ASSERT_LT(blocks(i), n);
          ASSERT_FALSE(seen[blocks(i)]) << n << " in blocks of " << block << ", " << mix << " mixed";
          seen[blocks(i)] = true;
        }
      }
}

TEST(BlockPermutation, MixesSoManyBlocksAtATime) {
  constexpr uint64_t kBlocks = 1000, kBlock = 100, kMix = 4, n = kBlocks * kBlock + 7;
  const BlockPermutation permutation(n, kBlock, kMix, 5);
  std::vector<uint64_t> firsts;
  for (uint64_t window = 0; window < kBlocks / kMix; ++window) {
    std::vector<uint64_t> blocks, order;
    for (uint64_t i = window * kBlock * kMix; i < (window + 1) * kBlock * kMix; ++i) {
      order.push_back(permutation(i));
      blocks.push_back(permutation(i) / kBlock);
    }
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(blocks.begin(), blocks.end());
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    EXPECT_LE(blocks.size(), kMix + 2);  // the short one shifts those behind it
    firsts.push_back(blocks[0]);
  }
  std::sort(firsts.begin(), firsts.end());
  EXPECT_GT(firsts[firsts.size() / 2], kBlocks / 20) << "blocks come from everywhere";
}

TEST(BlockPermutation, TheShortBlockComesAnywhere) {
  std::vector<int> counts(5);
  for (uint64_t key = 0; key < 5000; ++key) {
    const BlockPermutation blocks(4 * 10 + 1, 10, 1, key);
    for (uint64_t i = 0; i < 41; ++i)
      if (blocks(i) == 40) ++counts[i / 10];
  }
  EXPECT_LT(std::abs(chi_square_score(counts)), 5);
}

TEST(BlockPermutation, IsPartOfWhatASavedRunReliesOn) {
  const BlockPermutation blocks(10, 3, 2, 1);
  std::vector<uint64_t> order;
  for (uint64_t i = 0; i < 10; ++i) order.push_back(blocks(i));
  EXPECT_EQ(order, (std::vector<uint64_t>{5, 3, 6, 8, 4, 7, 2, 0, 1, 9}))
      << "the order is part of what a saved run relies on";
}

}  // namespace
}  // namespace penstock::order
