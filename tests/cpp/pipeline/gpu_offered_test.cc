// Memory of somebody else that outputs are written into, on a GPU of host memory.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

#include "codec/jpeg/scan_job.h"
#include "kernels/jpeg/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

using device::Stream;

/// Refuses as many launches' first files as it is told.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kDecodeJpeg, [this](const auto& batch) {
      if (!batch.parameters.scans() || refusals-- <= 0) return;
      *batch.jobs[0].refused = 1;
      if (when_refused) when_refused();
    });
  }
  int refusals = 0;
  std::function<void()> when_refused;
};

/// Four pictures of 8 x 8, decoded by an operator of the GPU or of the host.
Graph pictures_of(const test::Folder& folder, const char* decoded_on, const char* decoder = "cuda") {
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args(), .name = "files"});
  Node image =
      graph.add({.op = "decoders.image", .inputs = {read[0]}, .args = {{"decoder", decoder}}, .device = decoded_on})[0];
  image.on_gpu = std::string(decoded_on) == "mixed";
  Node small =
      graph.add({.op = "resize", .inputs = {image}, .args = {{"size", std::vector<double>{8, 8}}}, .device = "gpu"})[0];
  small.on_gpu = true;
  graph.set_outputs({small, read[1]});
  return graph;
}

class GpuOffered : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = size_t{4} * 8 * 8 * 3;
  void offer(test::GpuRun<Gpu>& on, int64_t iteration, size_t bytes = kBytes) {
    on.executor.offer(iteration, 0, on.gpu.memory().lent(memory_.data(), bytes, lenders_, owner_));
  }
  void offer_for_labels(test::GpuRun<Gpu>& on) {
    on.executor.offer(0, 1, on.gpu.memory().lent(labels_.data(), sizeof(labels_), lenders_, owner_));
  }
  bool is_there(const std::unique_ptr<BatchState>& batch) const { return batch->outputs[0][0].data == memory_.data(); }
  /// Whether somebody has the memory besides its owner.
  bool is_out() const { return owner_.use_count() > 1; }

  test::Folder folder_{4};
  std::vector<std::byte> memory_{2 * kBytes};
  std::array<int32_t, 4> labels_ = {9, 9, 9, 9};
  const std::shared_ptr<void> owner_ = std::make_shared<int>();
  const Stream lenders_ = reinterpret_cast<Stream>(77);
};

TEST_F(GpuOffered, MemoryIsThatOfTheBatchForWhichItIs) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  offer(on, 1);
  EXPECT_FALSE(is_there(on.run()));
  EXPECT_TRUE(is_out());
  EXPECT_TRUE(on.backend->waits.empty());
  auto batch = on.run();
  EXPECT_TRUE(is_there(batch));
  EXPECT_EQ(batch->outputs[0].size(), 4);
  ASSERT_EQ(on.backend->waits.size(), 1U) << "the lender may still use it";
  EXPECT_EQ(on.backend->waits[0].second, lenders_);
  device::Block& block = device::block_of(batch->outputs[0].at(0).buffer);
  EXPECT_EQ(block.lender(), owner_);
  EXPECT_TRUE(block.is_done()) << "who has the batch may read it by whatever means";
  batch.reset();
  EXPECT_FALSE(is_out());
  EXPECT_EQ(on.backend->waits.size(), 1U) << "nothing that the lender would wait for is left";
}

TEST_F(GpuOffered, TheHostSeesTheEndEvenWhereThereIsNothingToRefuse) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed", "auto"), OnError::kRaise);  // files as small are the host's
  on.backend->slow = true;
  on.run();
  EXPECT_EQ(on.backend->words_due(), 0U);
  offer(on, 1);
  on.start();
  while (on.backend->words_due() < 1) EXPECT_FALSE(on.executor.wait_for({}));
  on.backend->set_due();
  EXPECT_TRUE(is_there(on.take()));
}

TEST_F(GpuOffered, ABatchThatIsDoneAgainIsDoneThereAgain) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  on.backend->refusals = 1;
  offer(on, 0);
  EXPECT_TRUE(is_there(on.run()));
  EXPECT_LT(on.backend->refusals, 0);
}

TEST_F(GpuOffered, WhatTheHostMakesIsBroughtThere) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  offer_for_labels(on);
  on.backend->refusals = 1;  // once more, when the batch is done again
  auto batch = on.run();
  EXPECT_EQ(labels_, (std::array<int32_t, 4>{0, 1, 2, 3}));
  const TensorList& labels = batch->outputs[1];
  EXPECT_EQ(labels.device(), 5);
  EXPECT_EQ(labels.size(), 4);
  EXPECT_EQ(labels[0].data, reinterpret_cast<std::byte*>(labels_.data()));
  EXPECT_TRUE(device::block_of(labels.at(0).buffer).is_done());
  batch.reset();
  EXPECT_FALSE(is_out());
  EXPECT_EQ(on.run()->outputs[1].device(), kHostMemory);
}

TEST_F(GpuOffered, WhatTheHostMakesIsThatOfTheSampleThatTookAnothersPlace) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kReplace);
  on.backend->refusals = 1;
  on.backend->when_refused = [&] { folder_.spoil(0); };
  offer_for_labels(on);
  on.run();
  EXPECT_NE(labels_[0], 0);
  EXPECT_NE(labels_[0], 9);
  EXPECT_EQ(labels_[1], 1);
}

TEST_F(GpuOffered, WhatTheHostMakesStaysThereWhereSamplesFail) {
  for (const OnError on_error : {OnError::kSkip, OnError::kZero}) {
    test::Folder folder(4);
    folder.spoil(2);
    test::GpuRun<Gpu> on(pictures_of(folder, "mixed"), on_error);
    offer_for_labels(on);
    const TensorList labels = on.run()->outputs[1];
    EXPECT_EQ(labels.device(), kHostMemory);
    EXPECT_EQ(labels.size(), on_error == OnError::kSkip ? 3 : 4);
  }
}

TEST_F(GpuOffered, WhatTheHostMakesStaysThereWhereItDoesNotSeeTheEnd) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "cpu"), OnError::kRaise);
  offer_for_labels(on);
  EXPECT_EQ(on.run()->outputs[1].device(), kHostMemory);
}

TEST_F(GpuOffered, WhatDoesNotFitIsLeft) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  offer(on, 0, kBytes + 1);
  EXPECT_FALSE(is_there(on.run()));
  EXPECT_FALSE(is_out());
}

TEST_F(GpuOffered, NobodyWritesThereWhereTheHostDoesNotSeeTheEnd) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "cpu"), OnError::kRaise);
  offer(on, 0);
  EXPECT_FALSE(is_there(on.run()));
  EXPECT_FALSE(is_out());
}

TEST_F(GpuOffered, MemoryForABatchThatFailedIsLetGo) {
  folder_.spoil(2);
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  offer(on, 0);
  EXPECT_THROW(on.run(), DataError);
  EXPECT_FALSE(is_out());
}

TEST_F(GpuOffered, MemoryForBatchesThatAreDroppedIsLetGo) {
  test::GpuRun<Gpu> on(pictures_of(folder_, "mixed"), OnError::kRaise);
  offer(on, 0);
  offer(on, 3);
  on.start();
  on.executor.drop_all();
  EXPECT_FALSE(is_out());
}

TEST_F(GpuOffered, TheFirstOfferStaysAndTheLastBatchTakesEarlierOnesAway) {
  OfferedMemory offered;
  const auto memory = [&](size_t at) { return Buffer{owner_, memory_.data() + at, 1}; };
  offered.offer(5, 1, memory(0));
  offered.offer(5, 1, memory(1));
  offered.offer(6, 0, memory(2));
  offered.offer(7, 0, memory(3));
  EXPECT_TRUE(offered.take(4).empty());
  const std::vector<Buffer> taken = offered.take(5);
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].data, nullptr);
  EXPECT_EQ(taken[1].data, memory_.data());
  offered.drop_to(6);
  EXPECT_TRUE(offered.take(6).empty());
  EXPECT_EQ(offered.take(7).size(), 1U);
}

}  // namespace
}  // namespace penstock
