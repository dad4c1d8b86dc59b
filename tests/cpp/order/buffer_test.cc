#include "order/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <penstock/error.h>

#include "order/order.h"
#include "order/selection.h"

namespace penstock::order {
namespace {

std::vector<int64_t> all(uint64_t size, uint64_t n, uint64_t key) {
  const BufferShuffle buffer(size);
  std::vector<int64_t> out(n);
  for (uint64_t i = 0; i < n; ++i) out[i] = static_cast<int64_t>(buffer(n, key, i));
  return out;
}

TEST(BufferShuffle, HoldsEverySampleOnceAndNoneComesEarlierThanTheBufferLetsIt) {
  for (const int64_t size : {1, 2, 3, 10, 100, 1000})
    for (const int64_t n : {1, 2, 31, 32, 33, 47, 64, 160, 321, 5000}) {
      const std::vector<int64_t> order = all(static_cast<uint64_t>(size), static_cast<uint64_t>(n), 3);
      std::vector<int64_t> sorted = order;
      std::sort(sorted.begin(), sorted.end());
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(sorted[static_cast<size_t>(i)], i) << size << " of " << n;
        ASSERT_LT(order[static_cast<size_t>(i)], i + size) << size << " of " << n;
      }
    }
}

TEST(BufferShuffle, SamplesStayAsLongAsInABuffer) {
  // In a buffer of s samples one waits for s turns on average, half of them for more than 0.69 s.
  const std::vector<int64_t> order = all(50, 40000, 9);
  double waited = 0, long_waits = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    const double turns = static_cast<double>(i) - static_cast<double>(order[i]) + 50;
    waited += turns / 40000, long_waits += turns > 0.693 * 50 ? 1. / 40000 : 0;
  }
  EXPECT_NEAR(waited, 50, 1);
  EXPECT_NEAR(long_waits, 0.5, 0.03);
}

TEST(BufferShuffle, AnyPositionIsFoundAloneAndByManyKeys) {
  const BufferShuffle buffer(20);
  for (uint64_t key = 0; key < 6; ++key) {
    const std::vector<int64_t> order = all(20, 1000, key);
    for (const uint64_t position : {999, 3, 700, 320, 319, 0})
      EXPECT_EQ(static_cast<int64_t>(buffer(1000, key, position)), order[position]);
  }
  EXPECT_NE(all(20, 1000, 1), all(20, 1000, 2));
}

TEST(BufferShuffle, StretchesDiffer) {
  const std::vector<int64_t> order = all(10, 480, 1);
  std::vector<int64_t> first(order.begin(), order.begin() + 160), second(order.begin() + 160, order.begin() + 320);
  for (int64_t& one : second) one -= 160;
  EXPECT_NE(first, second);
}

TEST(BufferShuffle, IsPartOfWhatASavedRunReliesOn) {
  EXPECT_EQ(all(3, 10, 1), (std::vector<int64_t>{1, 0, 2, 4, 5, 3, 8, 7, 6, 9}));
}

Spec spec_of(int64_t size, int64_t shards, EpochEnd end, bool stick) {
  return {.size = size,
          .num_shards = shards,
          .batch = 3,
          .shuffle = true,
          .stick = stick,
          .epoch_end = end,
          .seed = 7,
          .buffer = 4};
}

TEST(BufferedEpoch, MixesTheShardThatIsRead) {
  for (const bool stick : {false, true})
    for (const EpochEnd end : {EpochEnd::kContinue, EpochEnd::kPad, EpochEnd::kRepeat})
      for (int64_t shard = 0; shard < 3; ++shard) {
        Spec spec = spec_of(90, 3, end, stick);
        spec.shard = shard;
        const bool moves = !stick && end != EpochEnd::kPad;
        std::vector<std::vector<int64_t>> epochs;
        for (int64_t epoch = 0; epoch < 3; ++epoch) {
          const int64_t begin = 30 * ((shard + (moves ? epoch : 0)) % 3);
          std::vector<int64_t>& seen = epochs.emplace_back();
          for (int64_t i = 0; i < 30; ++i) {
            const Pick one = pick(spec, 10 * epoch + i / 3, i % 3);
            EXPECT_EQ(one.epoch, static_cast<uint64_t>(epoch));
            EXPECT_LT(one.index - begin, i + 4);
            seen.push_back(one.index - begin);
          }
          std::vector<int64_t> sorted = seen;
          std::sort(sorted.begin(), sorted.end());
          for (int64_t i = 0; i < 30; ++i) EXPECT_EQ(sorted[static_cast<size_t>(i)], i);
        }
        EXPECT_NE(epochs[0], epochs[1]);
      }
}

TEST(BufferedEpoch, AListIsPermutedOnceForAllEpochsAndSeeds) {
  Spec spec = spec_of(60, 1, EpochEnd::kPad, false);
  spec.buffer = 1;
  spec.listed = true;
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < 60; ++i) first.push_back(pick(spec, i / 3, i % 3).index);
  spec.seed = 8;
  for (int64_t i = 0; i < 60; ++i) second.push_back(pick(spec, 20 + i / 3, i % 3).index);
  EXPECT_EQ(first, second);
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
}

TEST(BufferedEpoch, IsResumedOnOtherNumbersOfRanksWithoutLossOrRepeat) {
  const Spec before = spec_of(97, 4, EpochEnd::kPad, false);
  std::vector<int> seen(97);
  for (int64_t shard = 0; shard < 4; ++shard) {
    Spec own = before;
    own.shard = shard;
    for (int64_t i = 0; i < 12; ++i) ++seen[static_cast<size_t>(pick(own, i / 3, i % 3).index)];
  }
  Spec after = spec_of(97, 3, EpochEnd::kPad, false);
  after.start = progress_after(before, 4);
  for (; after.shard < 3; ++after.shard) {
    const Epochs epochs(after, nullptr);
    for (int64_t step = 0; step < steps_in_first_epoch(after); ++step)
      for (int64_t slot = 0; slot < 3; ++slot) {
        const Chosen one = epochs.pick(step, slot);
        EXPECT_EQ(one.index, pick(after, step, slot).index);
        if (one.valid) ++seen[static_cast<size_t>(one.index)];
      }
  }
  EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

TEST(BufferedEpoch, NonsenseIsRefused) {
  for (const int64_t size : {int64_t{-1}, (int64_t{1} << 24) + 1}) {
    Spec spec = spec_of(10, 1, EpochEnd::kPad, false);
    spec.buffer = size;
    EXPECT_THROW(check(spec), ArgumentError);
  }
  Spec spec = spec_of(10, 1, EpochEnd::kPad, false);
  spec.block = spec.mix = 2;
  EXPECT_THROW(check(spec), ArgumentError);
}

}  // namespace
}  // namespace penstock::order
