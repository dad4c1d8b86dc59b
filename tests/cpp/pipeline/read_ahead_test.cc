#include "pipeline/read_ahead.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <vector>

#include "pipeline/folder.h"

namespace penstock {
namespace {

using std::chrono::milliseconds;
using test::Folder;

bool within_seconds(const std::function<bool()>& condition) {
  for (int i = 0; i < 20'000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(1));
  return condition();
}

/// Counts what it is asked for, and takes `pause` for it. Without a lock: waiting for that would look like a slow read.
class CountingReader : public Reader {
 public:
  explicit CountingReader(order::Spec order) : order_(order), hints_(static_cast<size_t>(order.size)) {}
  int64_t size() const override { return order_.size; }
  order::Spec order(const OpSpec&) const override { return order_; }
  uint64_t fingerprint() const override { return 0; }
  void will_need(int64_t index) const noexcept override {
    ++hints_[static_cast<size_t>(index)];
    ++inside;
    while (closed) std::this_thread::sleep_for(milliseconds(1));
    if (pause.load().count()) std::this_thread::sleep_for(pause.load());
    --inside;
  }
  /// How often each sample was asked for that was.
  std::map<int64_t, int> hints() const {
    std::map<int64_t, int> asked;
    for (size_t i = 0; i < hints_.size(); ++i)
      if (hints_[i]) asked[static_cast<int64_t>(i)] = hints_[i];
    return asked;
  }

  std::atomic<bool> closed{false};  // nobody is answered
  std::atomic<milliseconds> pause{milliseconds(0)};
  mutable std::atomic<int> inside{0};

 private:
  const order::Spec order_;
  mutable std::vector<std::atomic<int>> hints_;
};

constexpr int kBatch = 32;
constexpr int kAhead = 8;                               // batches of 256 samples
constexpr int kBlock = 2;                               // batches of 64 samples
constexpr int64_t kFirst = (kAhead + kBlock) * kBatch;  // samples hinted at when a run begins

/// A ReadAhead over a CountingReader, without a pipeline that would read.
class ReadAheadTest : public testing::Test {
 protected:
  explicit ReadAheadTest(order::Spec order = {.size = 100'000, .batch = kBatch}) : reader_(order) {
    plan_.nodes.emplace_back().reader = &reader_;
    plan_.readers = {0};
    chooser_.emplace(plan_, options_);
    chooser_->orders();
    ahead_.emplace(plan_, options_, *chooser_, stats_);
  }
  ~ReadAheadTest() override { reader_.closed = false; }
  /// Starts a batch and waits until all that was hinted at has been asked for.
  void follow_and_settle(int64_t iteration) {
    ahead_->follow(iteration);
    for (int64_t before = -1; before != stats_.hints; std::this_thread::sleep_for(milliseconds(2)))
      before = stats_.hints;
  }

  CountingReader reader_;
  Plan plan_;
  const PipelineOptions options_{.batch_size = kBatch, .prefetch = 2};
  Stats stats_{1};
  std::optional<Chooser> chooser_;
  std::optional<ReadAhead> ahead_;
};

TEST_F(ReadAheadTest, ComesFromSeveralThreadsAndHoldsUpNobody) {
  reader_.closed = true;
  ahead_->follow(0);
  EXPECT_TRUE(within_seconds([&] { return reader_.inside >= 8; }));
  reader_.closed = false;
  EXPECT_TRUE(within_seconds([&] { return stats_.hints == kFirst; }));
}

TEST_F(ReadAheadTest, SlowReadsAreHintedAtOnceEachAndInTime) {
  reader_.pause = milliseconds(1);
  for (int64_t i = 0; i < 20; ++i) {
    ahead_->follow(i);
    ASSERT_TRUE(within_seconds([&] { return stats_.hints >= (i + kAhead) * kBatch; })) << "batch " << i;
  }
  // Each third batch brings the next three: the last to do so is the 18th.
  constexpr int64_t kAll = (18 + kAhead + kBlock) * kBatch;
  ASSERT_TRUE(within_seconds([&] { return stats_.hints == kAll; }));
  const auto hints = reader_.hints();
  EXPECT_EQ(hints.size(), static_cast<size_t>(kAll));
  EXPECT_EQ(hints.rbegin()->first, kAll - 1);
  for (const auto& [index, times] : hints) EXPECT_EQ(times, 1) << index;
  EXPECT_EQ(stats_.slow_hints, stats_.hints);
}

TEST_F(ReadAheadTest, QuickReadsAreHardlyHintedAt) {
  constexpr int64_t kBatches = 200;
  for (int64_t i = 0; i < kBatches; ++i) follow_and_settle(i);
  EXPECT_GT(stats_.hints, kFirst + kBatches / kBlock);
  // Some full blocks may come of a busy machine.
  EXPECT_LT(stats_.hints, kBatches * kBatch / 2);
}

TEST_F(ReadAheadTest, QuickBatchesAreHintedAtByTime) {
  constexpr int64_t kBatches = 2000;
  for (int64_t i = 0; i < 20; ++i) follow_and_settle(i);
  const int64_t before = stats_.hints;
  for (int64_t i = 20; i < kBatches; ++i) ahead_->follow(i);
  follow_and_settle(kBatches);
  EXPECT_LT(stats_.hints - before, kBatches / 4);  // with each block they are more than batches
}

TEST_F(ReadAheadTest, BeginsAgainWhenReadsBecomeSlow) {
  for (int64_t i = 0; i < 20; ++i) follow_and_settle(i);
  reader_.pause = milliseconds(1);
  for (int64_t i = 20; i < 60; ++i) follow_and_settle(i);
  EXPECT_GT(stats_.slow_hints, 4 * kBatch);
}

TEST_F(ReadAheadTest, AsksForNothingAfterItsEnd) {
  reader_.pause = milliseconds(20);
  ahead_->follow(0);
  ASSERT_TRUE(within_seconds([&] { return !reader_.hints().empty(); }));
  ahead_.reset();
  const auto before = reader_.hints();
  EXPECT_LT(static_cast<int64_t>(before.size()), kFirst);
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_EQ(reader_.hints(), before);
}

TEST_F(ReadAheadTest, GoesOnFromWhereverARunIsSetTo) {
  reader_.pause = milliseconds(5);
  ahead_->follow(0);
  ahead_->forget();
  const int64_t before = stats_.hints;
  ahead_->follow(1000);
  ASSERT_TRUE(within_seconds([&] { return stats_.hints == before + kFirst; }));
  const auto hints = reader_.hints();
  for (int64_t i = 0; i < kFirst; ++i) ASSERT_EQ(hints.count(1000 * kBatch + i), 1u) << i;
  ahead_->forget();
  ahead_->follow(500);
  EXPECT_TRUE(within_seconds([&] { return reader_.hints().count(500 * kBatch + kFirst - 1) == 1; }));
}

TEST_F(ReadAheadTest, SmallBatchesAreTakenTogether) {
  const PipelineOptions ones{.batch_size = 1, .prefetch = 2};
  ReadAhead ahead(plan_, ones, *chooser_, stats_);
  ahead.follow(0);
  ASSERT_TRUE(within_seconds([&] { return stats_.hints == 256 + 64; }));
  for (int64_t i = 1; i <= 64; ++i) ahead.follow(i);
  std::this_thread::sleep_for(milliseconds(10));
  EXPECT_EQ(stats_.hints, 256 + 64);
}

class PaddedReadAheadTest : public ReadAheadTest {
 protected:
  PaddedReadAheadTest() : ReadAheadTest({.size = 40, .batch = kBatch, .epoch_end = order::EpochEnd::kPad}) {}
};

TEST_F(PaddedReadAheadTest, PaddingIsNotHintedAt) {
  constexpr int kEpochs = (kAhead + kBlock) / 2;
  follow_and_settle(0);
  ASSERT_TRUE(within_seconds([&] { return stats_.hints >= kEpochs * 40; }));
  for (const auto& [index, times] : reader_.hints()) EXPECT_EQ(times, kEpochs) << index;
  EXPECT_EQ(reader_.hints().size(), 40u);
}

TEST(ReadAhead, PipelinesSayWhatTheyDo) {
  const Folder folder(6);
  Pipeline pipe(folder.decoding(), {.batch_size = 2, .prefetch = 300});
  test::expect_in("read 301 batches ahead", pipe.explain());
  pipe.run();
  EXPECT_TRUE(
      within_seconds([&] { return nlohmann::json::parse(pipe.stats())["read_ahead"]["hints"] >= 2 * (301 + 32); }));
  pipe.seek(5);
  EXPECT_EQ(test::labels_of(pipe.run()), (std::vector<int>{4, 5}));
}

TEST(ReadAhead, VanishedFilesAreReportedByTheReadAlone) {
  Folder folder(8);
  folder.remove(6);
  Pipeline pipe(folder.decoding(), {.batch_size = 4, .prefetch = 1});
  EXPECT_EQ(test::labels_of(pipe.run()), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_THROW(pipe.run(), DataError);
  EXPECT_EQ(pipe.failures().size(), 1u);
}

}  // namespace
}  // namespace penstock
