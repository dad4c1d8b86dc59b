// What every epoch promises, over all small data sets, shards, batch sizes and ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <penstock/error.h>

#include "order/order.h"

namespace penstock::order {
namespace {

constexpr EpochEnd kAligned[] = {EpochEnd::kRepeat, EpochEnd::kPad, EpochEnd::kDrop, EpochEnd::kPartial,
                                 EpochEnd::kWrap};

/// All rows of one rank in one epoch.
std::vector<Pick> epoch_of(const Spec& spec, int64_t epoch) {
  const int64_t steps = steps_per_epoch(spec);
  std::vector<Pick> out;
  for (int64_t step = epoch * steps; step < (epoch + 1) * steps; ++step)
    for (int64_t slot = 0; slot < spec.batch; ++slot) out.push_back(pick(spec, step, slot));
  return out;
}

/// Calls body(spec) for all small specs; body sets the shard itself.
template <class Body>
void for_all_small(EpochEnd end, Body body) {
  for (int64_t size = 1; size <= 64; ++size)
    for (int64_t shards = 1; shards <= 8; ++shards)
      for (int64_t batch = 1; batch <= 9; ++batch)
        for (const bool shuffle : {false, true})
          for (const bool stick : {false, true}) {
            if (end == EpochEnd::kDrop && size / shards < batch) continue;
            const Spec spec{.size = size,
                            .num_shards = shards,
                            .batch = batch,
                            .shuffle = shuffle,
                            .stick = stick,
                            .epoch_end = end,
                            .seed = 5};
            SCOPED_TRACE(testing::Message() << "N=" << size << " S=" << shards << " B=" << batch << " end="
                                            << static_cast<int>(end) << " shuffle=" << shuffle << " stick=" << stick);
            body(spec);
            if (testing::Test::HasFailure()) return;
          }
}

TEST(Epoch, HoldsEverySampleOnce) {
  for (const EpochEnd end : {EpochEnd::kRepeat, EpochEnd::kPad, EpochEnd::kPartial})
    for_all_small(end, [](Spec spec) {
      for (int64_t epoch = 0; epoch < 3; ++epoch) {
        std::vector<int> seen(static_cast<size_t>(spec.size));
        for (spec.shard = 0; spec.shard < spec.num_shards; ++spec.shard)
          for (const Pick& p : epoch_of(spec, epoch)) {
            ASSERT_EQ(p.epoch, static_cast<uint64_t>(epoch));
            ASSERT_TRUE(p.index >= 0 && p.index < spec.size);
            if (p.valid) ++seen[static_cast<size_t>(p.index)];
          }
        for (const int count : seen) ASSERT_EQ(count, 1);
      }
    });
}

TEST(Epoch, DropLeavesOutIncompleteBatchesOnly) {
  for_all_small(EpochEnd::kDrop, [](Spec spec) {
    std::vector<int> seen(static_cast<size_t>(spec.size));
    for (spec.shard = 0; spec.shard < spec.num_shards; ++spec.shard)
      for (const Pick& p : epoch_of(spec, 1)) {
        ASSERT_TRUE(p.valid);
        ++seen[static_cast<size_t>(p.index)];
      }
    ASSERT_LE(*std::max_element(seen.begin(), seen.end()), 1);
    const int64_t taken = spec.size / spec.num_shards / spec.batch * spec.batch * spec.num_shards;
    ASSERT_EQ(std::count(seen.begin(), seen.end(), 1), taken);
  });
}

TEST(Epoch, WrapFillsUpWithTheFirstSamplesOfTheShard) {
  for_all_small(EpochEnd::kWrap, [](Spec spec) {
    Spec pad = spec;
    pad.epoch_end = EpochEnd::kPad;
    for (spec.shard = pad.shard = 0; spec.shard < spec.num_shards; ++spec.shard, ++pad.shard) {
      const auto padded = epoch_of(pad, 1), wrapped = epoch_of(spec, 1);
      const auto own = std::count_if(padded.begin(), padded.end(), [](const Pick& p) { return p.valid; });
      for (size_t i = 0; i < wrapped.size(); ++i) {
        ASSERT_EQ(wrapped[i].valid, own > 0);
        if (own > 0) {
          ASSERT_EQ(wrapped[i].index, padded[i % static_cast<size_t>(own)].index);
        }
      }
    }
  });
}

TEST(Epoch, PaddingRepeatsTheLastSample) {
  const Spec spec{.size = 7, .num_shards = 2, .shard = 0, .batch = 4, .shuffle = true, .epoch_end = EpochEnd::kPad};
  const auto rows = epoch_of(spec, 3);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[2].valid);
  EXPECT_EQ(rows[3], (Pick{rows[2].index, 3, false}));
}

TEST(Epoch, EmptyShardsGiveInvalidRows) {
  for (const EpochEnd end : {EpochEnd::kPad, EpochEnd::kPartial, EpochEnd::kWrap})
    for (const int64_t shard : {0, 2, 5}) {
      const Spec spec{.size = 5, .num_shards = 8, .shard = shard, .batch = 3, .epoch_end = end};
      EXPECT_EQ(epoch_of(spec, 1), std::vector<Pick>(3, Pick{0, 1, false})) << "shard " << shard;
    }
}

TEST(Epoch, UnshuffledEpochsAreEqualUnlessShardsMove) {
  for (const EpochEnd end : {EpochEnd::kPad, EpochEnd::kDrop, EpochEnd::kPartial, EpochEnd::kWrap})
    for_all_small(end, [](Spec spec) {
      if (spec.shuffle) return;
      for (spec.shard = 0; spec.shard < spec.num_shards; ++spec.shard) {
        const auto first = epoch_of(spec, 0), third = epoch_of(spec, 2);
        for (size_t i = 0; i < first.size(); ++i) {
          ASSERT_EQ(first[i].index, third[i].index);
          ASSERT_EQ(first[i].valid, third[i].valid);
        }
      }
    });
}

TEST(Epoch, ShufflingChangesEachEpochAndSeed) {
  for (const EpochEnd end : kAligned)
    for (const bool stick : {false, true}) {
      Spec spec{.size = 60, .num_shards = 2, .batch = 5, .shuffle = true, .stick = stick, .epoch_end = end};
      const auto indices = [&](int64_t epoch) {
        std::vector<int64_t> out;
        for (const Pick& p : epoch_of(spec, epoch)) out.push_back(p.index);
        return out;
      };
      const auto first = indices(0);
      EXPECT_NE(first, indices(1));
      EXPECT_EQ(stick, std::all_of(first.begin(), first.end(), [](int64_t i) { return i < 30; }));
      spec.seed = 1;
      EXPECT_NE(first, indices(0));
    }
}

TEST(Epoch, ShardsAreShuffledIndependently) {
  Spec spec{.size = 60, .num_shards = 2, .batch = 30, .shuffle = true, .stick = true, .epoch_end = EpochEnd::kPad};
  const auto first = epoch_of(spec, 0);
  spec.shard = 1;
  const auto second = epoch_of(spec, 0);
  int equal = 0;
  for (size_t i = 0; i < first.size(); ++i) equal += first[i].index + 30 == second[i].index;
  EXPECT_LT(equal, 6);
}

TEST(Epoch, GaplessShufflingHoldsEverySampleOnceAnEpoch) {
  for (int64_t size = 1; size <= 64; ++size)
    for (int64_t shards = 1; shards <= std::min<int64_t>(8, size); ++shards)
      for (const bool stick : {false, true}) {
        std::vector<std::vector<int>> seen(3, std::vector<int>(static_cast<size_t>(size)));
        for (int64_t shard = 0; shard < shards; ++shard) {
          const Spec spec{.size = size, .num_shards = shards, .shard = shard, .shuffle = true, .stick = stick};
          for (int64_t step = 0; step < 3 * (size / shards + 1); ++step) {
            const Pick p = pick(spec, step, 0);
            if (p.epoch < 3) ++seen[p.epoch][static_cast<size_t>(p.index)];
          }
        }
        for (const auto& epoch : seen)
          for (const int count : epoch) ASSERT_EQ(count, 1) << "N=" << size << " S=" << shards;
      }
}

TEST(Epoch, StepsPerEpoch) {
  const auto steps = [](EpochEnd end) {
    return steps_per_epoch({.size = 10, .num_shards = 3, .batch = 2, .epoch_end = end});
  };
  EXPECT_EQ(steps(EpochEnd::kPad), 2);
  EXPECT_EQ(steps(EpochEnd::kRepeat), 2);
  EXPECT_EQ(steps(EpochEnd::kContinue), 2);
  EXPECT_EQ(steps(EpochEnd::kDrop), 1);
}

TEST(Epoch, NonsenseIsRefused) {
  const auto refused = [](const Spec& spec, const std::string& why) {
    try {
      pick(spec, 0, 0);
      FAIL() << "accepted; expected: " << why;
    } catch (const ArgumentError& error) {
      EXPECT_NE(error.message().find(why), std::string::npos) << error.message();
    }
    EXPECT_THROW(steps_per_epoch(spec), ArgumentError);
    EXPECT_THROW(progress_after(spec, 1), ArgumentError);
  };
  refused({.size = 0}, "the data set is empty");
  refused({.size = 5, .num_shards = 2, .shard = 2}, "there is no shard 2 of 2");
  refused({.size = 5, .batch = 0}, "batch size must be positive, got 0");
  refused({.size = int64_t{1} << 60}, "too many");
  refused({.size = 7, .num_shards = 2, .batch = 4, .epoch_end = EpochEnd::kDrop}, "do not fill one batch of 4");
}

TEST(Shard, IsTheSplitOfDali) {
  for (int64_t size = 1; size <= 70; ++size)
    for (int64_t shards = 1; shards <= 80; ++shards) {
      EXPECT_EQ(shard_begin(size, shards, 0), 0);
      EXPECT_EQ(shard_begin(size, shards, shards), size);
      for (int64_t shard = 0; shard < shards; ++shard)
        for (int64_t i = shard_begin(size, shards, shard); i < shard_begin(size, shards, shard + 1); ++i)
          ASSERT_EQ(shard_of(size, shards, i), shard);
    }
}

}  // namespace
}  // namespace penstock::order
