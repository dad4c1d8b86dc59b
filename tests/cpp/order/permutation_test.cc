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

}  // namespace
}  // namespace penstock::order
