// What becomes of batches when the GPU is lost or its memory is short: on a GPU of host memory, whose kernels do
// nothing.
#include <gtest/gtest.h>

#include <penstock/gpu.h>

#include "device/fake_backend.h"
#include "pipeline/chooser.h"
#include "pipeline/executor.h"
#include "pipeline/folder.h"

namespace penstock {
namespace {

using test::expect_in;
using test::message_of;

class GpuFailure : public ::testing::TestWithParam<OnError> {
 protected:
  Graph graph() {
    Graph made;
    const auto read = made.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
    // Files as small as these are the host's, unless told otherwise.
    Node image =
        made.add({.op = "decoders.image", .inputs = {read[0]}, .args = {{"decoder", "cuda"}}, .device = "mixed"})[0];
    image.on_gpu = true;
    made.set_outputs({image});
    return made;
  }
  void start() {
    auto batch = std::make_unique<BatchState>();
    batch->lists.resize(static_cast<size_t>(plan_.num_lists));
    chooser_.choose(*batch, next_++, options_.batch_size);
    executor_.start(std::move(batch));
  }
  TensorList run() {
    start();
    const auto batch = executor_.take();
    if (batch->batch_error) std::rethrow_exception(batch->batch_error);
    return batch->gpu_lists[0];
  }

  test::Folder folder_{8};
  std::shared_ptr<device::test::FakeBackend> backend_ = std::make_shared<device::test::FakeBackend>();
  device::Device gpu_{5, backend_};
  PipelineOptions options_{.batch_size = 4, .on_error = GetParam(), .device_id = 5};
  Plan plan_ = make_plan(graph(), options_);
  Chooser chooser_{plan_, options_};
  Executor executor_{plan_, options_, &gpu_};
  int64_t next_ = 0;
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

TEST_P(GpuFailure, WhoLooksSeesTheEndBeforeTheCallbackComes) {
  backend_->slow_callbacks = true;
  start();
  while (backend_->callbacks_due() < 1) EXPECT_FALSE(executor_.wait_for({}));
  EXPECT_FALSE(executor_.wait_for({}));
  for (uintptr_t stream = 1; stream <= backend_->streams; ++stream)
    backend_->finish(reinterpret_cast<device::Stream>(stream));
  EXPECT_EQ(executor_.take()->gpu_lists[0].size(), 4);
  backend_->callbacks[0](nullptr);  // too late to matter
  EXPECT_EQ(executor_.in_flight(), 0);
}

TEST_P(GpuFailure, ABatchThatNobodyLooksAtGoesOnByItself) {
  backend_->slow_callbacks = true;
  start();
  start();
  while (backend_->callbacks_due() < 2) executor_.wait_for({});
  for (const auto& done : backend_->callbacks) done(nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(executor_.take()->gpu_lists[0].size(), 4);
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
