// How samples pass through a chain of operators: who makes them, when, how much of them and where to.
#include "pipeline/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "ops/host/callback.h"
#include "pipeline/chooser.h"
#include "pipeline/folder.h"

namespace penstock {
namespace {

/// What an operator of the chain was seen to do.
struct Seen {
  bool crops;  // else it decodes
  int64_t iteration;
  int32_t slot;
  std::thread::id thread;
  PlaneRegion wanted;
  const std::byte* written;
};

/// Does what `op` does, and tells `seen` before.
class Watched : public SampleOperatorBase {
 public:
  Watched(std::unique_ptr<Operator> op, std::function<void(Sample&)> seen)
      : op_(std::move(op)), real_(*op_->traits().sample), seen_(std::move(seen)) {
    traits_ = real_.traits();
    traits_.sample = this;
  }
  std::unique_ptr<Local> make_local() const override { return real_.make_local(); }
  void prepare(Sample& s) const override { real_.prepare(s); }
  void infer(Sample& s) const override { real_.infer(s); }
  void need(Sample& s) const override { real_.need(s); }
  void run(Sample& s) const override {
    seen_(s);
    real_.run(s);
  }

 private:
  const std::unique_ptr<Operator> op_;
  const SampleOperatorBase& real_;
  const std::function<void(Sample&)> seen_;
};

constexpr int kBatch = 4;
constexpr int64_t kCrop = 8;

/// Batches of four: read, decoded, cropped, and shown to a function.
class ChainTest : public ::testing::Test {
 protected:
  ChainTest() {
    for (PlannedNode& node : plan_.nodes) {
      if (node.reader || node.batch_op) continue;
      node.op = std::make_unique<Watched>(std::move(node.op),
                                          [this, crops = node.asked.op == "crop"](Sample& s) { see(crops, s); });
      node.sample_op = node.op->traits().sample;
    }
  }
  ~ChainTest() override { release_callback(callback_); }
  Graph graph() const {
    Graph made;
    const auto read = made.add({.op = "readers.file", .args = folder_.reader_args()});
    const auto image = made.add({.op = "decoders.image", .inputs = {read[0]}});
    const auto crop = made.add({.op = "crop", .inputs = image, .args = {{"crop", std::vector<double>{kCrop, kCrop}}}});
    made.set_outputs({crop[0], made.add({.op = "callback", .inputs = crop, .args = {{"id", callback_}}})[0]});
    return made;
  }
  void see(bool crops, Sample& s) {
    std::unique_lock lock(mutex_);
    seen_.push_back({crops, s.id().iteration, s.id().slot, std::this_thread::get_id(),
                     plane_of(s.wanted(0), s.out(0).tensor.layout), s.out(0).tensor.data});
    changed_.notify_all();
    if (!crops && hold_up_until_ && s.id().iteration == 0 && s.id().slot == 0)
      in_time_ = changed_.wait_for(lock, at_most_, hold_up_until_);
  }
  size_t crops_seen() const {
    size_t count = 0;
    for (const Seen& one : seen_) count += one.crops;
    return count;
  }
  void start() {
    chooser_.orders();
    executor_.start(new_batch(plan_, next_++, kBatch));
  }

  const test::Folder folder_{2 * kBatch};
  const PipelineOptions options_{.batch_size = kBatch};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int64_t> shown_;
  const int64_t callback_ = keep_callback([this](BatchContext& batch) {
    const std::lock_guard lock(mutex_);
    shown_.push_back(batch.iteration);
    changed_.notify_all();
    batch.outputs.push_back(*batch.inputs[0]);
  });
  Plan plan_ = make_plan(graph(), options_, nullptr);
  Chooser chooser_{plan_, options_};
  std::vector<Seen> seen_;
  std::function<bool()> hold_up_until_;  // for this the first sample waits
  std::chrono::milliseconds at_most_{20'000};
  bool in_time_ = false;
  int64_t next_ = 0;
  Executor executor_{plan_, options_, chooser_, nullptr};
};

TEST_F(ChainTest, ASampleThatTakesLongHoldsUpNeitherOthersNorTheNextBatch) {
  if (WorkerPool::process()->threads() < 2) GTEST_SKIP() << "needs two workers";
  hold_up_until_ = [this] { return crops_seen() == 2 * kBatch - 1; };
  start(), start();
  EXPECT_EQ(executor_.take()->iteration, 0);
  EXPECT_TRUE(in_time_);
  EXPECT_EQ(executor_.take()->iteration, 1);
}

TEST_F(ChainTest, FunctionsSeeBatchesInOrderHoweverLongTheyTake) {
  if (WorkerPool::process()->threads() < 2) GTEST_SKIP() << "needs two workers";
  hold_up_until_ = [this] { return !shown_.empty(); };  // which must not come to pass
  at_most_ = std::chrono::milliseconds(300);
  start(), start();
  executor_.take(), executor_.take();
  EXPECT_FALSE(in_time_);
  EXPECT_EQ(shown_, (std::vector<int64_t>{0, 1}));
}

TEST_F(ChainTest, WhoWaitsMakesSamplesOfAnOnlyBatchWhileWorkersWake) {
  const auto made_by_caller = [this](int64_t iteration) {
    const std::lock_guard lock(mutex_);
    return std::ranges::count_if(
        seen_, [&](const Seen& one) { return one.thread == std::this_thread::get_id() && one.iteration == iteration; });
  };
  int64_t alone = 0;
  for (int i = 0; i < 200; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));  // workers fall asleep
    start();
    alone += made_by_caller(executor_.take()->iteration);
    start(), start();
    EXPECT_EQ(made_by_caller(executor_.take()->iteration), 0);
    executor_.take();
  }
  EXPECT_GT(alone, 0);
}

TEST_F(ChainTest, AWorkerTakesASampleThroughAllOperators) {
  for (int i = 0; i < 20; ++i) start();
  for (int i = 0; i < 20; ++i) executor_.take();
  std::map<std::thread::id, std::vector<Seen>> by_worker;
  for (const Seen& one : seen_) by_worker[one.thread].push_back(one);
  for (const auto& [worker, made] : by_worker) {
    for (size_t i = 0; i < made.size(); ++i) {
      ASSERT_EQ(made[i].crops, i % 2 == 1);
      ASSERT_EQ(std::pair(made[i].iteration, made[i].slot), std::pair(made[i & ~1u].iteration, made[i & ~1u].slot));
    }
  }
  EXPECT_EQ(seen_.size(), 2u * 20 * kBatch);
}

TEST_F(ChainTest, ADecoderIsAskedForNoMoreThanTheCropBehindItKeeps) {
  start();
  executor_.take();
  for (const Seen& one : seen_) {
    EXPECT_EQ(one.wanted.height(), kCrop);
    EXPECT_EQ(one.wanted.width(), kCrop);
    EXPECT_EQ(one.wanted.y0, one.crops ? 0 : 4);
  }
}

TEST_F(ChainTest, ResultsAreWrittenStraightIntoTheBatch) {
  start();
  const auto batch = executor_.take();
  const TensorList& list = batch->lists[static_cast<size_t>(plan_.values[static_cast<size_t>(plan_.outputs[0])].list)];
  for (const Seen& one : seen_) {
    EXPECT_EQ(one.written == list[one.slot].data, one.crops) << one.slot;
  }
  EXPECT_TRUE(list.contiguous());
}

}  // namespace
}  // namespace penstock
