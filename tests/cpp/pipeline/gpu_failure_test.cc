// What becomes of batches when the GPU is lost or its memory is short: on a GPU of host memory, whose kernels do
// nothing.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

using test::expect_in;
using test::message_of;

class GpuFailure : public ::testing::TestWithParam<OnError> {
 protected:
  void start() { on_.start(); }
  TensorList run() { return on_.run()->outputs[0]; }

  test::Folder folder_{8};
  // Files as small as these are the host's, unless told otherwise.
  test::GpuRun<> on_{test::decoding_on_gpu(folder_.reader_args(), "cuda"), GetParam()};
  device::test::FakeBackend* const backend_ = on_.backend.get();
  device::Device& gpu_ = on_.gpu;
  Executor& executor_ = on_.executor;
};

TEST_P(GpuFailure, ABrokenKernelEndsItsBatchWithANamedError) {
  EXPECT_EQ(run().size(), 4);
  backend_->lost = true;
  const std::string message = message_of<DeviceLost>([&] { run(); });
  expect_in("GPU 5 is lost: a kernel: broken; seen in batch 1 at decoders.image", message);
  expect_in("restart the process", message);
}

TEST_P(GpuFailure, CallsThatFailAfterwardsDoNotStopThePipelineFromEnding) {
  run();
  start();
  backend_->lost_calls = true;
  start();
  start();
  executor_.take();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(executor_.take()->batch_error);
  expect_in("GPU 5 is lost", message_of<DeviceLost>([&] { run(); }));
  start();
  executor_.drop_all();
}

TEST_P(GpuFailure, ShortMemoryEndsABatchNotThePipeline) {
  const size_t all = backend_->free;
  run();
  gpu_.memory().trim();
  gpu_.pinned().trim();
  backend_->free = 100;
  expect_in("GPU 5", message_of<OutOfMemory>([&] { run(); }));
  backend_->free = all;
  EXPECT_EQ(run().size(), 4);
  gpu_.memory().set_limit(1000);
  expect_in("would pass the limit of 1000", message_of<OutOfMemory>([&] { run(); }));
  gpu_.memory().set_limit(0);
  EXPECT_EQ(run().size(), 4);
}

TEST_P(GpuFailure, ABatchIsNotDoneBeforeTheGpuSaysSo) {
  backend_->slow = true;
  start();
  while (backend_->words_due() < 1) EXPECT_FALSE(executor_.wait_for({}));
  EXPECT_FALSE(executor_.wait_for(std::chrono::milliseconds(5)));
  backend_->set_due();
  EXPECT_EQ(executor_.take()->outputs[0].size(), 4);
  EXPECT_EQ(executor_.in_flight(), 0);
}

TEST_P(GpuFailure, ABatchThatNobodyLooksAtGoesOnByItself) {
  backend_->slow = true;
  start();
  start();
  while (backend_->words_due() < 2) std::this_thread::yield();
  backend_->set_due();
  while (executor_.stats().batches < 2) std::this_thread::yield();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(executor_.take()->outputs[0].size(), 4);
}

INSTANTIATE_TEST_SUITE_P(OnError, GpuFailure, ::testing::Values(OnError::kRaise, OnError::kSkip, OnError::kReplace));

TEST(GpuMemory, GoesBackWhenTheLastPipelineEnds) {
  auto backend = std::make_shared<device::test::FakeBackend>();
  device::Device gpu(0, backend);
  auto first = gpu.keep_memory(), second = gpu.keep_memory();
  const device::Stream stream = backend->make_stream(0);
  gpu.memory().allocate(1000, stream);
  Buffer held = gpu.pinned().allocate(1000, nullptr);
  first.reset();
  EXPECT_EQ(backend->blocks.size(), 2U);
  second.reset();
  EXPECT_EQ(backend->blocks.size(), 1U);
  held = {};
  EXPECT_TRUE(backend->blocks.empty());
}

}  // namespace
}  // namespace penstock
