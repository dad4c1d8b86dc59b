// The engine on real GPUs; on other hosts these tests say that they are skipped.
#include <gtest/gtest.h>
#include <penstock/gpu.h>
#include <penstock/parallel.h>

#include <cstdlib>
#include <thread>

#include "parallel/tensors.h"

namespace penstock::parallel {
namespace {

/// Two GPUs, by NCCL or by copies.
class Gpus : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (gpu_count() < 2) {
      ASSERT_FALSE(std::getenv("PENSTOCK_NEEDS_GPU")) << "two GPUs were promised: " << why_no_gpu();
      GTEST_SKIP() << "needs two GPUs, found " << gpu_count() << (why_no_gpu().empty() ? "" : ": ") << why_no_gpu();
    }
    group_ = std::make_unique<Group>(std::vector{one_, two_}, GroupOptions{.nccl = GetParam()});
  }
  Tensor to_host(const Tensor& tensor) { return group_->gather(std::vector{tensor}, kHost); }
  template <class T>
  void expect_sums_of_the_host(const Shape& shape, Reduction reduction) {
    std::vector<T> a(static_cast<size_t>(shape.volume())), b(a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<T>(static_cast<float>(i * 2654435761U % 1000) / 8);
      b[i] = static_cast<T>(static_cast<float>(i * 40503U % 777) / 4);
    }
    const std::vector<Tensor> parts{tensor_of(shape, a), tensor_of(shape, b)};
    const Tensor expected = Group({{.index = 0}, {.index = 1}}).reduce(parts, reduction, kHost);
    const std::vector<Tensor> placed{group_->place(parts[0], 0), group_->place(parts[1], 1)};
    for (const DeviceId& target : {one_, two_, kHost}) {
      const Tensor found = group_->reduce(placed, reduction, target);
      EXPECT_EQ(found.buffer.device, target.memory());
      const Tensor local = to_host(found);
      EXPECT_EQ(std::memcmp(local.view.data, expected.view.data, expected.view.nbytes()), 0)
          << name_of(dtype_of<T>) << " on " << to_string(target);
    }
  }
  const DeviceId one_ = DeviceId::parse("cuda:0"), two_ = DeviceId::parse("cuda:1");
  std::unique_ptr<Group> group_;
};

TEST_P(Gpus, UseWhatTheyAreToldTo) {
  const std::string transport = group_->transport();
  EXPECT_TRUE(transport.starts_with(std::string(GetParam()) == "off" ? "copies (NCCL is off" : "NCCL 2.")) << transport;
}

TEST_P(Gpus, ScatterAndGatherAlongAnyDimension) {
  const Tensor whole = counting({6, 5, 700});
  const Tensor on_gpu = group_->place(whole, 1);
  for (const Tensor& source : {whole, on_gpu})
    for (int dim = 0; dim < 3; ++dim) {
      const std::vector<Tensor> parts = group_->scatter(source, {}, dim);
      ASSERT_EQ(parts.size(), 2);
      EXPECT_EQ(parts[0].buffer.device, 0);
      EXPECT_EQ(parts[1].buffer.device, 1);
      for (const DeviceId& target : {one_, two_, kHost}) {
        const Tensor back = group_->gather(parts, target, dim);
        EXPECT_EQ(back.buffer.device, target.memory());
        EXPECT_EQ(values_of(to_host(back)), values_of(whole)) << dim << " " << to_string(target);
      }
    }
}

TEST_P(Gpus, BroadcastFromAnywhere) {
  const Tensor whole = counting({300, 1001});
  for (const Tensor& source : {whole, group_->place(whole, 0), group_->place(whole, 1)}) {
    const std::vector<Tensor> all = group_->broadcast(source);
    ASSERT_EQ(all.size(), 2);
    for (int i : {0, 1}) {
      EXPECT_EQ(all[i].buffer.device, i);
      EXPECT_EQ(values_of(to_host(all[i])), values_of(whole));
      if (source.buffer.device == i) {
        EXPECT_EQ(all[i].view.data, source.view.data);
      }
    }
  }
}

TEST_P(Gpus, ReduceAsTheHostDoes) {
  const Shape shape{3, 100'003};
  expect_sums_of_the_host<uint8_t>(shape, Reduction::kSum);
  expect_sums_of_the_host<int16_t>(shape, Reduction::kSum);
  expect_sums_of_the_host<int32_t>(shape, Reduction::kSum);
  expect_sums_of_the_host<int64_t>(shape, Reduction::kSum);
  for (const Reduction reduction : {Reduction::kSum, Reduction::kMean}) {
    expect_sums_of_the_host<float16>(shape, reduction);
    expect_sums_of_the_host<bfloat16>(shape, reduction);
    expect_sums_of_the_host<float>(shape, reduction);
    expect_sums_of_the_host<double>(shape, reduction);
  }
}

TEST_P(Gpus, CallablesRunOnTheirOwnStreamsFromSeveralThreads) {
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 20; ++i) {
        const Tensor whole = counting({64, 1000}, caller * 1000 + i);
        const auto same = [](Replica& replica, const Tensor& part) {
          EXPECT_NE(replica.stream(), nullptr);
          EXPECT_EQ(part.buffer.device, replica.device().index);
          return part;
        };
        const Tensor out = group_->apply(whole, same, {.output = kHost});
        EXPECT_EQ(values_of(out), values_of(whole));
        const std::vector<Tensor> all = group_->broadcast(whole);
        const Tensor sum = group_->reduce(all, Reduction::kMean, one_);
        EXPECT_EQ(values_of(to_host(sum)), values_of(whole));
      }
    });
  for (std::thread& caller : callers) caller.join();
}

INSTANTIATE_TEST_SUITE_P(Transports, Gpus, testing::Values("", "off"),
                         [](const auto& info) { return *info.param ? "Copies" : "Nccl"; });

}  // namespace
}  // namespace penstock::parallel
