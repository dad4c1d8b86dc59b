// What a schedule of several data sets promises: exact counts, in an epoch and in each block, and no sample twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "order/schedule.h"

namespace penstock::order {
namespace {

/// Ratios of one to eight sets, some of them rare or 0, not all 0.
std::vector<double> some_ratios(std::mt19937& random) {
  std::vector<double> ratios(1 + random() % 8);
  for (double& ratio : ratios) {
    ratio = random() % 3 == 0 ? static_cast<double>(random() % 10) : static_cast<double>(random() % 1000) * 1e-3;
    if (random() % 6 == 0) ratio *= 0.01;
  }
  ratios[random() % ratios.size()] += 0.5;
  return ratios;
}

double sum_of(const std::vector<double>& ratios) { return std::accumulate(ratios.begin(), ratios.end(), 0.0); }

TEST(Apportioned, GivesEachItsShareRoundedDownOrUp) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> ratios = some_ratios(random);
    const auto total = static_cast<int64_t>(random() % 5000);
    const std::vector<int64_t> counts = apportioned(ratios, total);
    ASSERT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), total);
    for (size_t k = 0; k < ratios.size(); ++k) {
      ASSERT_LT(std::abs(static_cast<double>(counts[k]) - static_cast<double>(total) * ratios[k] / sum_of(ratios)), 1);
      ASSERT_TRUE(ratios[k] > 0 || counts[k] == 0);
    }
  }
}

TEST(Apportioned, TakesWhatIsWholeAsItIs) {
  EXPECT_EQ(apportioned(std::vector{0.7, 0.2, 0.1}, 1000), (std::vector<int64_t>{700, 200, 100}));
  EXPECT_EQ(apportioned(std::vector{1e300, 3e300}, 400), (std::vector<int64_t>{100, 300}));
  EXPECT_EQ(apportioned(std::vector{1.0, 1.0, 1.0}, 10), (std::vector<int64_t>{4, 3, 3}));
}

TEST(Apportioned, GivesWhatIsLeftToThoseThatMissMost) {
  EXPECT_EQ(apportioned(std::vector{1.0, 1.9}, 10), (std::vector<int64_t>{3, 7}));          // of 3.45 and 6.55
  EXPECT_EQ(apportioned(std::vector{1.0, 2.0, 4.0}, 10), (std::vector<int64_t>{1, 3, 6}));  // of 1.43, 2.86 and 5.71
}

TEST(Schedule, CountsEachSetFromItsFirstSampleToItsLast) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<int64_t> counts = apportioned(some_ratios(random), 1 + random() % 9000);
    const Schedule schedule(counts);
    std::vector<int64_t> given(counts.size());
    for (int64_t p = 0; p < schedule.size(); ++p) {
      const Schedule::Turn turn = schedule.at(p);
      ASSERT_EQ(turn.nth, given[static_cast<size_t>(turn.set)]++) << "position " << p;
    }
    ASSERT_EQ(given, counts);
    for (size_t k = 0; k < counts.size(); ++k) ASSERT_EQ(schedule.count(static_cast<int64_t>(k)), counts[k]);
  }
}

/// How far the counts of any `Schedule::kBlock` samples in a row, begun at multiples of `step`, are from the ratios.
double worst(const std::vector<double>& ratios, int64_t size, int64_t step) {
  const Schedule schedule(apportioned(ratios, size));
  std::vector<int64_t> sets;
  for (int64_t p = 0; p < size; ++p) sets.push_back(schedule.at(p).set);
  double most = 0;
  for (size_t k = 0; k < ratios.size(); ++k) {
    std::vector<int64_t> before = {0};
    for (const int64_t set : sets) before.push_back(before.back() + (set == static_cast<int64_t>(k)));
    const double share = Schedule::kBlock * ratios[k] / sum_of(ratios);
    for (int64_t p = 0; p + Schedule::kBlock <= size; p += step) {
      const auto begin = static_cast<size_t>(p), end = static_cast<size_t>(p + Schedule::kBlock);
      most = std::max(most, std::abs(static_cast<double>(before[end] - before[begin]) - share));
    }
  }
  return most;
}

TEST(Schedule, HoldsTheRatiosInEachBlockWithinOneSample) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 150; ++trial) {
    const std::vector<double> ratios = some_ratios(random);
    // Shares of the epoch were rounded, which moves those of a block by one in as many as an epoch has blocks.
    EXPECT_LE(worst(ratios, 20000 + static_cast<int64_t>(random() % 20000), Schedule::kBlock), 1 + 2.0 / 20);
  }
  EXPECT_LE(worst({5, 3, 2}, 12345, Schedule::kBlock), 0.5);
  EXPECT_LE(worst({1, 1}, 12345, 1), 1);
}

TEST(Schedule, HoldsTheRatiosBetweenBlocksWithinThreeSamples) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 100; ++trial)
    EXPECT_LE(worst(some_ratios(random), 5000 + static_cast<int64_t>(random() % 5000), 1), 3);
}

TEST(Schedule, SpreadsASetEvenly) {
  const Schedule schedule({900, 100});
  int64_t last = -10;
  for (int64_t p = 0; p < schedule.size(); ++p) {
    if (schedule.at(p).set == 0) continue;
    EXPECT_EQ(p - last, last < 0 ? p + 10 : 10) << p;
    last = p;
  }
}

TEST(Schedule, IsExactForHugeEpochs) {
  const int64_t size = int64_t{1} << 42;
  const std::vector<int64_t> counts = {size / 3, size / 7, size - size / 3 - size / 7};
  const Schedule schedule(counts);
  ASSERT_EQ(schedule.size(), size);
  // The last samples of the epoch are the last of their sets.
  std::vector<bool> met(3);
  for (int64_t p = size - 1; p > size - 3000; --p) {
    const auto [set, nth] = schedule.at(p);
    EXPECT_TRUE(met[static_cast<size_t>(set)] || nth == counts[static_cast<size_t>(set)] - 1) << "set " << set;
    met[static_cast<size_t>(set)] = true;
  }
}

}  // namespace
}  // namespace penstock::order
