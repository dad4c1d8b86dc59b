// Going on from the middle of an epoch, on as many ranks as before or on another number.
#include <gtest/gtest.h>

#include <vector>

#include <penstock/error.h>

#include "order/order.h"

namespace penstock::order {
namespace {

/// Counts the valid rows of all ranks over some steps; fails when one lies outside of `epoch`.
void count(Spec spec, int64_t steps, uint64_t epoch, std::vector<int>& seen) {
  for (spec.shard = 0; spec.shard < spec.num_shards; ++spec.shard)
    for (int64_t step = 0; step < steps; ++step)
      for (int64_t slot = 0; slot < spec.batch; ++slot) {
        const Pick p = pick(spec, step, slot);
        ASSERT_EQ(p.epoch, epoch);
        if (p.valid) ++seen[static_cast<size_t>(p.index)];
      }
}

/// The same run from `steps` on, by other ranks.
Spec resumed(Spec spec, int64_t steps, int64_t num_shards, int64_t batch) {
  spec.start = progress_from(to_integers(progress_after(spec, steps)));
  spec.num_shards = num_shards;
  spec.batch = batch;
  return spec;
}

TEST(Progress, AnotherNumberOfRanksSeesTheRestOnce) {
  for (int64_t size = 1; size <= 40; ++size)
    for (int64_t before = 1; before <= 6; ++before)
      for (int64_t after = 1; after <= 6; ++after)
        for (const auto& [batch, stick] : {std::pair{1, false}, {2, true}, {3, false}}) {
          const Spec begun{.size = size,
                           .num_shards = before,
                           .batch = batch,
                           .shuffle = true,
                           .stick = stick,
                           .epoch_end = EpochEnd::kPad,
                           .seed = 9};
          for (int64_t steps = 0; steps < steps_per_epoch(begun); ++steps) {
            SCOPED_TRACE(testing::Message()
                         << "N=" << size << " S=" << before << "->" << after << " B=" << batch << " steps=" << steps);
            std::vector<int> seen(static_cast<size_t>(size)), next(seen);
            count(begun, steps, 0, seen);
            Spec rest = resumed(begun, steps, after, batch + 1);
            count(rest, steps_in_first_epoch(rest), 0, seen);
            for (const int n : seen) ASSERT_EQ(n, 1);
            // And the epoch after that is a normal one.
            rest = resumed(rest, steps_in_first_epoch(rest), after, batch + 1);
            ASSERT_EQ(rest.start, (Progress{1, {}}));
            count(rest, steps_per_epoch(rest), 1, next);
            for (const int n : next) ASSERT_EQ(n, 1);
          }
        }
}

TEST(Progress, ManyChangesInOneEpoch) {
  for (const EpochEnd end : {EpochEnd::kRepeat, EpochEnd::kPad, EpochEnd::kPartial})
    for (const bool stick : {false, true}) {
      Spec spec{.size = 997, .num_shards = 8, .batch = 5, .shuffle = true, .stick = stick, .epoch_end = end};
      std::vector<int> seen(997);
      for (const auto& [shards, batch, steps] :
           {std::tuple{8, 5, 3}, {6, 7, 2}, {6, 2, 5}, {1, 11, 4}, {5, 3, 7}, {8, 5, 0}}) {
        spec = resumed(spec, 0, shards, batch);
        count(spec, steps, 0, seen);
        spec.start = progress_after(spec, steps);
      }
      EXPECT_EQ(spec.start.segments, (std::vector<Segment>{{8, 15}, {6, 24}, {1, 44}, {5, 21}}));
      EXPECT_EQ(to_integers(spec.start), (std::vector<int64_t>{0, 8, 15, 6, 24, 1, 44, 5, 21}));
      count(spec, steps_in_first_epoch(spec), 0, seen);
      for (const int n : seen) EXPECT_EQ(n, 1);
    }
}

TEST(Progress, TheSameRanksGoOnWithTheSameSequence) {
  for (const EpochEnd end :
       {EpochEnd::kContinue, EpochEnd::kRepeat, EpochEnd::kPad, EpochEnd::kDrop, EpochEnd::kPartial, EpochEnd::kWrap})
    for (int64_t size = 1; size <= 30; ++size)
      for (int64_t shards = 1; shards <= 5; ++shards)
        for (int64_t shard = 0; shard < shards; ++shard)
          for (const auto& [batch, stick] : {std::pair{1, true}, {2, false}, {4, true}}) {
            if (end == EpochEnd::kDrop && size / shards < batch) continue;
            const Spec begun{.size = size,
                             .num_shards = shards,
                             .shard = shard,
                             .batch = batch,
                             .shuffle = true,
                             .stick = stick,
                             .epoch_end = end};
            for (int64_t steps = 0; steps < 3 * steps_per_epoch(begun) && steps < 20; ++steps) {
              const Spec rest = resumed(resumed(begun, steps / 2, shards, batch), steps - steps / 2, shards, batch);
              for (int64_t step = 0; step < 12; ++step)
                for (int64_t slot = 0; slot < batch; ++slot)
                  ASSERT_EQ(pick(rest, step, slot), pick(begun, steps + step, slot))
                      << "N=" << size << " S=" << shards << " B=" << batch << " end=" << static_cast<int>(end);
            }
          }
}

TEST(Progress, WhatMovesOnKeepsMovingOnAfterwards) {
  const Spec begun{.size = 12, .num_shards = 4, .batch = 1, .epoch_end = EpochEnd::kRepeat};
  const Spec rest = resumed(begun, 4, 2, 2);  // in epoch 1, where 4 ranks took one sample each: 0, 3, 6, 9
  EXPECT_EQ(rest.start, (Progress{1, {{4, 1}}}));
  // Rank 0 is on part 1 of the rest (1 2 4 5 | 7 8 10 11), then in epoch 2 on shard 0.
  EXPECT_EQ(pick(rest, 0, 0), (Pick{7, 1, true}));
  EXPECT_EQ(pick(rest, 1, 1), (Pick{11, 1, true}));
  EXPECT_EQ(pick(rest, 2, 0), (Pick{0, 2, true}));
}

TEST(Progress, DropMayLeaveNoStepOfTheEpoch) {
  const Spec begun{.size = 16, .num_shards = 2, .batch = 4, .shuffle = true, .epoch_end = EpochEnd::kDrop};
  const Spec rest = resumed(begun, 1, 4, 4);  // 8 samples are left: 2 for each of 4 ranks
  EXPECT_EQ(steps_in_first_epoch(rest), 0);
  EXPECT_EQ(pick(rest, 0, 0).epoch, 1u);
  EXPECT_EQ(progress_after(rest, 0), (Progress{1, {}}));
}

TEST(Progress, OfAnotherDataSetIsRefused) {
  Spec spec{.size = 10, .num_shards = 2, .epoch_end = EpochEnd::kPad};
  spec.start = {0, {{4, 3}}};
  EXPECT_THROW(pick(spec, 0, 0), ArgumentError);
  spec.start = {0, {{3, int64_t{1} << 62}}};
  EXPECT_THROW(pick(spec, 0, 0), ArgumentError);
  spec.start = {0, {{0, 1}}};
  EXPECT_THROW(pick(spec, 0, 0), ArgumentError);
}

TEST(Progress, GaplessRunsStayOnTheirRanks) {
  const Spec begun{.size = 10, .num_shards = 2, .batch = 3};
  EXPECT_EQ(progress_after(begun, 7), (Progress{0, {{2, 21}}}));
  EXPECT_NO_THROW(check(resumed(begun, 7, 2, 5)));
  EXPECT_THROW(check(resumed(begun, 7, 3, 3)), ArgumentError);
  Spec damaged = begun;
  damaged.start = {0, {{2, int64_t{1} << 62}}};
  EXPECT_THROW(check(damaged), ArgumentError);
}

TEST(Progress, HostileListsAreRefused) {
  using Integers = std::vector<int64_t>;
  for (const Integers& list : {Integers{}, {-1}, {0, 1}, {0, 0, 1}, {0, 1, -1}, {0, 1, 0}, {0, 1, 1, 2}})
    EXPECT_THROW(progress_from(list), ArgumentError);
  EXPECT_EQ(progress_from(Integers{3, 2, 1}), (Progress{3, {{2, 1}}}));
}

}  // namespace
}  // namespace penstock::order
