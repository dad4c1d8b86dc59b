// The GPUs' half on fake GPUs: which copies are made, and who waits for whom.
#include <gtest/gtest.h>

#include <algorithm>

#include "device/fake_backend.h"
#include "kernels/sum/job.h"
#include "parallel/combine.h"
#include "parallel/memory.h"
#include "parallel/pieces.h"
#include "parallel/sum.h"
#include "parallel/tensors.h"

namespace penstock::parallel {
namespace {

class SummingBackend final : public device::test::FakeBackend {
 public:
  SummingBackend() {
    on(kernels::kSum, [](const auto& batch) {
      const kernels::SumParts& sum = batch.parameters;
      const TensorDesc desc{.dtype = batch.out, .shape = {sum.elements}};
      std::vector<TensorView> parts;
      for (int i = 0; i < sum.count; ++i)
        parts.push_back({desc, static_cast<std::byte*>(const_cast<void*>(sum.parts[i]))});
      parallel::sum(parts, sum.mean, {desc, static_cast<std::byte*>(sum.out)});
    });
  }
};

class FakeGpus : public testing::Test {
 protected:
  FakeGpus() {
    for (int id : {1, 3}) {
      backends_.push_back(std::make_shared<SummingBackend>());
      backends_.back()->streams = static_cast<uintptr_t>(id * 100);
      gpus_.push_back(std::make_unique<device::Device>(id, backends_.back()));
      lanes_.push_back({.id = {.kind = DeviceId::Kind::kCuda, .index = id},
                        .gpu = gpus_.back().get(),
                        .stream = gpus_.back()->borrow_stream()});
    }
  }
  bool waited(int who, int whom) {
    return std::ranges::count(backends_[who]->waits, std::pair(lanes_[who].stream.get(), lanes_[whom].stream.get()));
  }
  std::vector<std::shared_ptr<SummingBackend>> backends_;
  std::vector<std::unique_ptr<device::Device>> gpus_;
  std::vector<Lane> lanes_;
  const Lane host_;
};

TEST_F(FakeGpus, HostTensorsAreCopiedAndOthersStayWhereTheyAre) {
  const Tensor whole = counting({3, 2});
  const Tensor copy = placed(whole, lanes_[1]);
  EXPECT_EQ(copy.buffer.device, 3);
  EXPECT_EQ(values_of(copy), values_of(whole));
  EXPECT_EQ(placed(copy, lanes_[1]).view.data, copy.view.data);
}

TEST_F(FakeGpus, ACopyWaitsForWhatWroteItsSource) {
  const Tensor there = placed(counting({3, 2}), lanes_[0]);
  EXPECT_FALSE(waited(1, 0));
  placed(there, lanes_[1]);
  // The source's own pool queues the waiting, on the stream of the reader.
  EXPECT_TRUE(std::ranges::count(backends_[0]->waits, std::pair(lanes_[1].stream.get(), lanes_[0].stream.get())));
}

TEST_F(FakeGpus, ABlockThatAnotherGpuReadIsUsedAgainOnlyAfterThat) {
  Tensor there = placed(counting({3, 2}), lanes_[0]);
  const std::byte* block = there.view.data;
  placed(there, lanes_[1]);
  there = {};
  EXPECT_GT(gpus_[0]->memory().idle(), 0);
  backends_[0]->waits.clear();
  EXPECT_EQ(placed(counting({3, 2}), lanes_[0]).view.data, block);
  EXPECT_TRUE(std::ranges::count(backends_[0]->waits, std::pair(lanes_[0].stream.get(), lanes_[1].stream.get())));
}

TEST_F(FakeGpus, ForeignMemoryMayGoWhenTheCallReturns) {
  Tensor foreign = counting({4});
  EXPECT_FALSE(is_foreign(foreign));  // pageable: CUDA has read it when the copy has been queued
  foreign.buffer.pinned = true;
  EXPECT_TRUE(is_foreign(foreign));
  foreign.buffer = {.owner = std::make_shared<int>(), .data = foreign.view.data, .device = 1};
  EXPECT_TRUE(is_foreign(foreign));
  EXPECT_FALSE(is_foreign(placed(counting({4}), lanes_[0])));
  placed(foreign, lanes_[1]);
  EXPECT_EQ(backends_[1]->synchronized, 1);
}

TEST_F(FakeGpus, PiecesOfAnyDimensionGoRound) {
  const Tensor whole = placed(counting({4, 3, 5}), lanes_[0]);
  for (int dim = 0; dim < 3; ++dim) {
    const std::vector<int64_t> sizes{2, whole.view.shape[dim] - 2};
    std::vector<Tensor> parts = cut_along(whole, dim, sizes, lanes_);
    for (size_t i = 0; i < 2; ++i) parts[i] = placed(parts[i], lanes_[i]);
    EXPECT_EQ(parts[1].buffer.device, 3);
    const Tensor here = joined(parts, dim, lanes_[1], lanes_);
    EXPECT_EQ(here.buffer.device, 3);
    EXPECT_EQ(values_of(here), values_of(whole)) << dim;
  }
  std::vector<Tensor> parts = cut_along(whole, 0, std::vector<int64_t>{1, 3}, lanes_);
  parts[1] = placed(parts[1], lanes_[1]);
  const Tensor on_host = joined(parts, 0, host_, lanes_);  // one block, written by both GPUs
  EXPECT_EQ(on_host.buffer.device, kHostMemory);
  EXPECT_TRUE(on_host.buffer.pinned);
  EXPECT_EQ(values_of(on_host), values_of(whole));
}

TEST_F(FakeGpus, CopiesBroadcastAndReduceWithoutNccl) {
  Combiner combiner(lanes_, "off");
  EXPECT_EQ(combiner.transport(), "copies (NCCL is off)");
  const Tensor on_second = placed(counting({3}), lanes_[1]);
  const std::vector<Tensor> all = combiner.broadcast(on_second);
  EXPECT_EQ(all[0].buffer.device, 1);
  EXPECT_EQ(all[1].view.data, on_second.view.data);
  EXPECT_EQ(values_of(all[0]), values_of(on_second));
  const std::vector<Tensor> parts{all[0], placed(counting({3}, 2), lanes_[1])};
  const Tensor sum = combiner.reduce(parts, Reduction::kMean, lanes_[0]);
  EXPECT_EQ(sum.buffer.device, 1);
  EXPECT_EQ(values_of(sum), values_of(counting({3}, 1)));
}

}  // namespace
}  // namespace penstock::parallel
