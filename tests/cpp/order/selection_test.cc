// What subsets, weights and mixtures promise, alone and split over ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include <penstock/error.h>

#include "order/schedule.h"
#include "order/selection.h"

namespace penstock::order {
namespace {

constexpr Shuffle kShuffled{true, 7};

std::map<int64_t, int64_t> counts_of(const Selection& selection, uint64_t epoch, const Shuffle& shuffle) {
  std::map<int64_t, int64_t> counts;
  for (int64_t p = 0; p < selection.size(); ++p) ++counts[selection.at(epoch, p, shuffle).index];
  return counts;
}

/// As many of the samples from `begin` up to `end` as an epoch has.
int64_t between(const std::map<int64_t, int64_t>& counts, int64_t begin, int64_t end) {
  int64_t sum = 0;
  for (const auto& [index, count] : counts) sum += index >= begin && index < end ? count : 0;
  return sum;
}

TEST(Selection, ASubsetHasItsSamplesOnce) {
  const SelectionPtr subset = listed({9, 2, 5}, 10, every(3));
  EXPECT_EQ(counts_of(*subset, 4, kShuffled), (std::map<int64_t, int64_t>{{2, 1}, {5, 1}, {9, 1}}));
  EXPECT_EQ(subset->at(0, 0, {}).index, 9);
  EXPECT_THROW(listed({10}, 10, every(1)), ArgumentError);
  EXPECT_THROW(listed({}, 10, every(1)), ArgumentError);
}

TEST(Selection, WeightsGiveEachSampleItsShareRoundedDownOrUp) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<float> weights(1 + random() % 50);
    for (float& weight : weights) weight = random() % 4 == 0 ? 0 : static_cast<float>(random() % 1000) / 64;
    weights[random() % weights.size()] += 1;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto size = static_cast<int64_t>(1 + random() % 400);
    const SelectionPtr selection = weighted(weights, size);
    std::vector<int64_t> total(weights.size());
    constexpr int kEpochs = 50;
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
      auto counts = counts_of(*selection, static_cast<uint64_t>(epoch), kShuffled);
      for (size_t i = 0; i < weights.size(); ++i) {
        const int64_t count = counts[static_cast<int64_t>(i)];
        const double share = static_cast<double>(size) * weights[i] / sum;
        ASSERT_GE(static_cast<double>(count), std::floor(share - 1e-9));
        ASSERT_LE(static_cast<double>(count), std::ceil(share + 1e-9));
        total[i] += count;
      }
    }
    for (size_t i = 0; i < weights.size(); ++i)  // the golden ratio leaves out none for long
      ASSERT_NEAR(static_cast<double>(total[i]), kEpochs * static_cast<double>(size) * weights[i] / sum, 4);
  }
}

TEST(Selection, EqualWeightsTakeEachSampleOnce) {
  const SelectionPtr selection = weighted(std::vector<float>(3001, 0.1f), 3001);
  for (uint64_t epoch = 0; epoch < 5; ++epoch) {
    const auto counts = counts_of(*selection, epoch, kShuffled);
    ASSERT_EQ(counts.size(), 3001);
  }
}

TEST(Selection, TellsRepeatsOfASampleApart) {
  const SelectionPtr selections[] = {weighted({5, 1, 0.5}, 40), mixture({every(3), every(20)}, {3, 1}, 40),
                                     mixture({weighted({3, 1}, 5), every(2)}, {1, 1}, 60)};
  for (const SelectionPtr& selection : selections)
    for (uint64_t epoch = 0; epoch < 4; ++epoch) {
      std::set<std::pair<int64_t, uint64_t>> seen;
      for (int64_t p = 0; p < selection->size(); ++p) {
        const Selected one = selection->at(epoch, p, kShuffled);
        EXPECT_TRUE(seen.emplace(one.index, one.repeat).second) << "position " << p << " of epoch " << epoch;
      }
    }
}

TEST(Selection, RefusesWeightsThatAreNone) {
  EXPECT_THROW(weighted({1, -1}, 2), ArgumentError);
  EXPECT_THROW(weighted({0, 0}, 2), ArgumentError);
  EXPECT_THROW(weighted({1, std::numeric_limits<float>::quiet_NaN()}, 2), ArgumentError);
  EXPECT_THROW(weighted({1, std::numeric_limits<float>::infinity()}, 2), ArgumentError);
  EXPECT_THROW(weighted({1}, 0), ArgumentError);
}

TEST(Mixture, GoesThroughEachSetBeforeItBeginsAgain) {
  const std::vector<int64_t> sizes = {40, 7, 300};
  const SelectionPtr mixed = mixture({every(40), every(7), every(300)}, {5, 3, 2}, 200);
  EXPECT_EQ(mixed->bound(), 347);
  std::vector<std::vector<int64_t>> streams(3);
  for (uint64_t epoch = 0; epoch < 10; ++epoch)
    for (int64_t p = 0; p < mixed->size(); ++p) {
      const int64_t index = mixed->at(epoch, p, kShuffled).index;
      const size_t set = index < 40 ? 0 : index < 47 ? 1 : 2;
      streams[set].push_back(index);
    }
  for (size_t k = 0; k < 3; ++k) {
    const auto size = static_cast<size_t>(sizes[k]);
    ASSERT_EQ(streams[k].size(), 10u * (k == 0 ? 100 : k == 1 ? 60 : 40));
    for (size_t begin = 0; begin + size <= streams[k].size(); begin += size) {
      const std::set<int64_t> pass(streams[k].begin() + static_cast<ptrdiff_t>(begin),
                                   streams[k].begin() + static_cast<ptrdiff_t>(begin + size));
      ASSERT_EQ(pass.size(), size) << "set " << k << ", from its sample " << begin;
    }
  }
}

TEST(Mixture, WithoutRatiosOfItsOwnHasEachSampleOnce) {
  const SelectionPtr mixed = mixture({every(1234), every(7), every(3001)}, {1234, 7, 3001}, 4242);
  for (uint64_t epoch = 0; epoch < 3; ++epoch) ASSERT_EQ(counts_of(*mixed, epoch, kShuffled).size(), 4242);
}

TEST(Mixture, ChangesItsRatiosByEpoch) {
  const SelectionPtr mixed = mixture({every(100), every(100)}, {9, 1, 1, 1, 0, 1}, 1000);
  const int64_t expected[] = {900, 500, 0, 0};
  for (uint64_t epoch = 0; epoch < 4; ++epoch) {
    const auto counts = counts_of(*mixed, epoch, kShuffled);
    EXPECT_EQ(between(counts, 0, 100), expected[epoch]) << epoch;
    for (const auto& [index, count] : counts)  // no sample comes twice as often as another of its set
      EXPECT_EQ(count, index < 100 ? expected[epoch] / 100 : 10 - expected[epoch] / 100) << index;
  }
}

TEST(Mixture, RefusesRatiosThatAreNone) {
  const auto with = [](const std::vector<double>& ratios) { return mixture({every(4), every(4)}, ratios, 8); };
  EXPECT_NO_THROW(with({1, 0}));
  for (const std::vector<double>& ratios :
       std::vector<std::vector<double>>{{1, -1},
                                        {0, 0},
                                        {1},
                                        {1, 1, 1},
                                        {},
                                        {1, 1, 0, 0},
                                        {1, 1e-9},
                                        {1, std::numeric_limits<double>::quiet_NaN()},
                                        {1, std::numeric_limits<double>::infinity()}})
    EXPECT_THROW(with(ratios), ArgumentError);
  EXPECT_THROW(mixture({}, {1}, 8), ArgumentError);
  EXPECT_THROW(mixture({every(4)}, {1}, 0), ArgumentError);
}

/// A selection and the order in which ranks go through it.
struct Case : Spec {
  SelectionPtr selection;
  Case(Spec spec, SelectionPtr selected) : Spec(std::move(spec)), selection(std::move(selected)) {}
  Chosen pick(int64_t step, int64_t slot) const { return Epochs(*this, selection).pick(step, slot); }
};

/// Mixtures, weights and subsets, each as a selection of 101 samples or so.
std::vector<Case> selecting() {
  std::vector<Case> specs;
  for (const SelectionPtr& selection :
       {mixture({every(13), every(50), every(5)}, {1, 2, 3}, 101), weighted({1, 2, 0, 4.5, 3}, 97),
        listed({3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 23}, 100, every(13)),
        listed({7, 8, 9, 10, 11, 1, 2, 3}, 12, mixture({every(5), every(3)}, {1, 1}, 90))})
    for (const bool shuffle : {false, true})
      specs.emplace_back(Spec{.size = selection->size(), .batch = 3, .shuffle = shuffle, .seed = 3}, selection);
  return specs;
}

TEST(Mixture, IsSplitOverRanksWithoutOverlapOrGap) {
  for (Case spec : selecting())
    for (const EpochEnd end : {EpochEnd::kPad, EpochEnd::kPartial, EpochEnd::kRepeat}) {
      spec.epoch_end = end;
      for (uint64_t epoch = 0; epoch < 3; ++epoch) {
        std::multiset<std::pair<int64_t, uint64_t>> whole, split;
        for (int64_t p = 0; p < spec.size; ++p) {
          const Selected one = spec.selection->at(epoch, p, {spec.shuffle, spec.seed});
          whole.emplace(one.index, one.repeat);
        }
        spec.num_shards = 4;
        const int64_t steps = steps_per_epoch(spec);
        for (spec.shard = 0; spec.shard < 4; ++spec.shard)
          for (int64_t row = 0; row < steps * spec.batch; ++row) {
            const Chosen one = spec.pick(static_cast<int64_t>(epoch) * steps + row / spec.batch, row % spec.batch);
            if (one.valid) split.emplace(one.index, one.repeat);
          }
        spec.num_shards = 1, spec.shard = 0;
        ASSERT_EQ(whole, split);
      }
    }
}

TEST(Mixture, IsResumedOnOtherNumbersOfRanksWithoutLossOrRepeat) {
  for (Case spec : selecting()) {
    spec.epoch_end = EpochEnd::kPartial;
    std::multiset<std::pair<int64_t, uint64_t>> whole, seen;
    for (int64_t p = 0; p < spec.size; ++p) {
      const Selected one = spec.selection->at(0, p, {spec.shuffle, spec.seed});
      whole.emplace(one.index, one.repeat);
    }
    const auto take = [&](int64_t num_shards, int64_t steps) {
      spec.num_shards = num_shards;
      for (spec.shard = 0; spec.shard < num_shards; ++spec.shard)
        for (int64_t row = 0; row < steps * spec.batch; ++row)
          if (const Chosen one = spec.pick(row / spec.batch, row % spec.batch); one.valid && one.epoch == 0)
            seen.emplace(one.index, one.repeat);
      spec.shard = 0;
      spec.start = progress_after(spec, steps);
    };
    take(2, 1);
    take(1, 1);
    spec.num_shards = 3;
    take(3, steps_in_first_epoch(spec));
    ASSERT_EQ(whole, seen);
    ASSERT_EQ(spec.start.epoch, 1u);
  }
}

TEST(Mixture, RefusesToStickToShards) {
  Case spec = selecting()[0];
  spec.stick = true;
  EXPECT_THROW(Epochs(spec, spec.selection), ArgumentError);
  spec = selecting()[4];  // a subset
  spec.stick = true;
  EXPECT_NO_THROW(Epochs(spec, spec.selection));
}

TEST(Selection, AStickingSubsetIsShuffledWithinItsShards) {
  Case spec = selecting()[5];
  ASSERT_TRUE(spec.shuffle);
  spec.stick = true, spec.num_shards = 2, spec.epoch_end = EpochEnd::kPartial;
  std::set<int64_t> seen;
  const int64_t steps = steps_per_epoch(spec);
  for (int64_t row = 0; row < 20 * steps * spec.batch; ++row)
    if (const Chosen one = spec.pick(row / spec.batch, row % spec.batch); one.valid) seen.insert(one.index);
  EXPECT_EQ(seen, (std::set<int64_t>{3, 1, 4, 15, 9, 2}));
}

TEST(Selection, ReplacementsAreOfTheSelection) {
  const Case spec = selecting()[4];
  std::set<int64_t> found;
  for (uint64_t number = 0; number < 100; ++number) found.insert(Epochs(spec, spec.selection).any_sample(number));
  EXPECT_EQ(found, (std::set<int64_t>{3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 23}));
}

TEST(Selection, HasAFingerprintOfItsOwn) {
  const SelectionPtr all[] = {every(5),
                              every(6),
                              listed({1, 2}, 5, every(2)),
                              listed({2, 1}, 5, every(2)),
                              weighted({1, 2}, 4),
                              weighted({2, 1}, 4),
                              weighted({1, 2}, 5),
                              mixture({every(5), every(5)}, {1, 2}, 9),
                              mixture({every(5), every(5)}, {2, 1}, 9),
                              mixture({every(6), every(5)}, {1, 2}, 9)};
  std::set<uint64_t> prints;
  for (const SelectionPtr& one : all) EXPECT_TRUE(prints.insert(one->fingerprint()).second);
}

}  // namespace
}  // namespace penstock::order
