// What becomes of single samples that fail in a batch for the GPU, on one of host memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "codec/jpeg/scan_job.h"
#include "kernels/jpeg/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

using device::Stream;
using test::expect_in;
using test::message_of;

/// Decodes nothing, and says so when the host is long done with its part.
struct SlowEngine : device::JpegEngine {
  void decode(std::span<device::EnginePicture> pictures) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    for (device::EnginePicture& picture : pictures) picture.decoded = false;
  }
};

/// Refuses as many launches' first files as it is told.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    make_engine = [] { return std::make_unique<SlowEngine>(); };
    on(kernels::kDecodeJpeg, [this](const auto& batch) {
      garbage = batch.parameters.scans() && refusals > 0;
      if (batch.parameters.scans() && refusals-- > 0) *batch.jobs[0].refused = 1;
      if (fails_later) throw std::runtime_error("a later launch failed");
    });
  }
  int refusals = 0;
  bool fails_later = false;
  bool garbage = false;  // the first image of the last launch
};

TEST(GpuSamples, ZeroesTakeThePlaceOfWhatTheGpuOnlyRenames) {
  test::Folder folder(4);
  folder.spoil(2);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args(), .name = "files"});
  const Node image = graph.add({.op = "decoders.image", .inputs = {read[0]}})[0];
  Node crop = graph.add({.op = "crop", .inputs = {image}, .args = {{"crop", std::vector<double>{8, 8}}}})[0];
  crop.on_gpu = true;
  const std::map<std::string, ArgValue> first = {{"axes", std::vector<int64_t>{0}}};
  Node renamed = graph.add({.op = "expand_dims", .inputs = {crop}, .args = first, .device = "gpu"})[0];
  renamed.on_gpu = true;
  graph.set_outputs({renamed});
  const auto batch = test::GpuRun<Gpu>(graph, OnError::kZero).run();
  EXPECT_EQ(batch->valid, (std::vector<uint8_t>{1, 1, 0, 1}));
  const TensorList& list = batch->outputs[0];
  for (int64_t i = 0; i < list.size(); ++i) {
    const std::span bytes(list[i].data, list[i].nbytes());
    EXPECT_EQ(std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; }), i == 2) << i;
  }
}

TEST(GpuSamples, AFailureCountsOnceHoweverOftenItsBatchIsDone) {
  for (const OnError on_error : {OnError::kSkip, OnError::kZero}) {
    test::Folder folder(4);
    folder.spoil(2);
    test::GpuRun<Gpu> on(test::decoding_on_gpu(folder.reader_args(), "cuda"), on_error);
    on.backend->refusals = 1;
    EXPECT_EQ(on.run()->outputs[0].size(), on_error == OnError::kSkip ? 3 : 4);
    EXPECT_LT(on.backend->refusals, 0);  // the batch was done twice
    EXPECT_EQ(on.executor.stats().failures, 1);
    EXPECT_EQ(on.executor.failures().all().size(), 1U);
  }
}

TEST(GpuSamples, ABatchWhoseEndTheHostHasSeenNeedsNoEvents) {
  test::Folder folder(4);
  test::GpuRun<Gpu> on(test::decoding_on_gpu(folder.reader_args(), "cuda"), OnError::kRaise);
  for (int i = 0; i < 3; ++i) {
    const auto batch = on.run();
    EXPECT_TRUE(on.backend->events.empty());
  }
  EXPECT_GT(on.executor.stats().gpu_awaited, 0);
  EXPECT_TRUE(on.backend->events.empty());
  EXPECT_TRUE(on.backend->waits.empty());
}

TEST(GpuSamples, WhatWasStartedBeforeAnErrorIsWaitedFor) {
  test::Folder folder(4);
  test::GpuRun<Gpu> on(test::decoding_on_gpu(folder.reader_args(), "cuda"), OnError::kRaise);
  on.backend->fails_later = true;
  const int before = on.backend->synchronized;
  expect_in("a later launch failed; seen in batch 0 at decoders.image", message_of<InternalError>([&] { on.run(); }));
  EXPECT_EQ(on.backend->synchronized, before + 1) << "files may lie in memory that is not the pools'";
}

struct FullGpu : device::test::FakeBackend {
  FullGpu() {
    on(kernels::kDecodeJpeg, [](const auto&) { throw device::Full("GPU 5 has no memory left"); });
  }
};

TEST(GpuSamples, AGpuThatIsFullIsTheFaultOfNoSample) {
  test::Folder folder(4);
  test::GpuRun<FullGpu> on(test::decoding_on_gpu(folder.reader_args(), "cuda"), OnError::kSkip);
  expect_in("GPU 5 has no memory left", message_of<OutOfMemory>([&] { on.run(); }));
  EXPECT_EQ(on.executor.stats().failures, 0);
}

TEST(GpuSamples, WhatTheEngineCannotDoIsDoneInTheMemoryThatItHad) {
  test::TempDir dir;
  std::vector<uint8_t> pixels(160 * 160 * 3, 77);
  const auto jpeg =
      codec::encode_jpeg({{DType::kUInt8, {160, 160, 3}, "HWC"}, reinterpret_cast<std::byte*>(&pixels[0])});
  const std::string file = dir.write("0.jpg", {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
  const std::map<std::string, ArgValue> args = {{"files", std::vector<std::string>(4, file)},
                                                {"labels", std::vector<int64_t>(4, 0)}};
  test::GpuRun<Gpu> on(test::decoding_on_gpu(args, "hardware"), OnError::kRaise);
  on.gpu.memory().set_limit(size_t{12} << 20);  // for one block of 8 MB that goes up, not for two
  EXPECT_EQ(on.run()->outputs[0].size(), 4);
}

/// Of an image's first pixels what is behind it is refused, too, as long as the image is garbage.
struct GpuThatDivides : Gpu {
  GpuThatDivides() {
    on(kernels::kElements, [this](const auto& batch) {
      if (garbage) *batch.jobs[0].refused = 1;
    });
  }
};

TEST(GpuSamples, WhatIsRefusedBehindARefusedPictureIsTriedAgain) {
  test::Folder folder(4);
  Graph graph;
  const auto read = graph.add({.op = "readers.file", .args = folder.reader_args(), .name = "files"});
  Node image =
      graph.add({.op = "decoders.image", .inputs = {read[0]}, .args = {{"decoder", "cuda"}}, .device = "mixed"})[0];
  image.on_gpu = true;
  Node shares = graph.add(
      {.op = "arithmetic", .inputs = {image, image}, .args = {{"op", std::string("div")}}, .device = "gpu"})[0];
  shares.on_gpu = true;
  graph.set_outputs({shares});
  test::GpuRun<GpuThatDivides> on(graph, OnError::kSkip);
  on.backend->refusals = 1;
  EXPECT_EQ(on.run()->outputs[0].size(), 4);
  EXPECT_EQ(on.executor.stats().failures, 0);
}

}  // namespace
}  // namespace penstock
