// Memory of what a GPU hands out, and of what it reads on the way there, on one of host memory.
#include <gtest/gtest.h>

#include <set>

#include "codec/jpeg/scan_job.h"
#include "device/transfer.h"
#include "kernels/elements/job.h"
#include "kernels/resample/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

using device::Stream;

/// Remembers where kernels were to write.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(device::kCopy, [this](const auto& batch) {
      for (int i = 0; i < batch.count; ++i) {
        std::memcpy(batch.jobs[i].to, batch.jobs[i].from, batch.jobs[i].bytes);
        written.insert(batch.jobs[i].to);
      }
    });
    const auto note = [this](const auto& batch) {
      for (int i = 0; i < batch.count; ++i) written.insert(batch.jobs[i].out);
    };
    on(kernels::kElements, note);
    on(kernels::kResample, note);
  }
  std::set<const void*> written;
};

class GpuOutputs : public ::testing::Test {
 protected:
  Node read_pictures(const char* device) {
    const auto read = graph_.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
    return graph_.add({.op = "decoders.image", .inputs = {read[0]}, .args = decoder_, .device = device})[0];
  }
  Node on_gpu(const char* op, std::vector<Node> inputs, std::map<std::string, ArgValue> args) {
    Node made = graph_.add({.op = op, .inputs = std::move(inputs), .args = std::move(args), .device = "gpu"})[0];
    made.on_gpu = true;
    return made;
  }
  Node small_pictures() { return on_gpu("resize", {read_pictures("cpu")}, {{"size", std::vector<double>{8, 8}}}); }

  test::Folder folder_{4};
  const std::map<std::string, ArgValue> decoder_ = {{"decoder", "cuda"}};
  Graph graph_;
};

TEST_F(GpuOutputs, WhatALaterStepReadsIsKeptUntilItHasBeenRead) {
  const Node image = read_pictures("mixed"), numbers = graph_.add({.op = "batch_permutation"})[0];
  graph_.set_outputs({on_gpu("arithmetic", {image, numbers}, {{"op", "mul"}})});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  auto batch = on.run();
  const auto products = batch->outputs;
  Buffer pictures;
  for (const TensorList& list : batch->lists)
    if (list.size() && list.device() == 5 && list[0].data != products[0][0].data) pictures = list.at(0).buffer;
  ASSERT_TRUE(pictures.data);
  const std::byte* const data = pictures.data;
  const size_t size = pictures.size;
  pictures = {};
  batch.reset();
  // No event has passed, so the kernel that reads the pictures may not have run.
  const Stream other = on.backend->make_stream(0);
  on.backend->waits.clear();
  std::vector<Buffer> taken;
  do {
    taken.push_back(on.gpu.memory().allocate(size, other));
  } while (taken.back().data != data && taken.size() < 20);
  ASSERT_EQ(taken.back().data, data);
  EXPECT_FALSE(on.backend->waits.empty());
}

// What comes later waits for kernels of its batch, and so would those who wait for it.
TEST_F(GpuOutputs, WhatBeginsABatchIsBroughtBehindOthers) {
  const Node image = read_pictures("mixed"), numbers = graph_.add({.op = "batch_permutation"})[0];
  graph_.set_outputs({on_gpu("arithmetic", {image, numbers}, {{"op", "mul"}})});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  for (size_t batches = 1; batches < 3; ++batches) {
    on.run();
    EXPECT_EQ(on.backend->brought.size(), batches);
    EXPECT_GT(on.backend->copies_of_many, batches);
  }
}

TEST_F(GpuOutputs, AllNamesOfAValueAreHandedOut) {
  const Node picture = small_pictures();
  const auto with_axis = [&](int64_t axis) {
    return on_gpu("expand_dims", {picture}, {{"axes", std::vector<int64_t>{axis}}});
  };
  graph_.set_outputs({picture, with_axis(0), with_axis(3)});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  const auto batch = on.run();
  std::set<const void*> places;
  for (const TensorList& list : batch->outputs)
    for (int64_t i = 0; i < list.size(); ++i) {
      EXPECT_TRUE(on.backend->written.contains(list[i].data)) << i;
      places.insert(list[i].data);
    }
  EXPECT_EQ(places.size(), 12U);
}

TEST_F(GpuOutputs, SamplesThatLieApartAreBroughtTogether) {
  const std::vector<int64_t> order = {3, 1, 2, 0};
  graph_.set_outputs({on_gpu("permute_batch", {small_pictures()}, {{"indices", order}})});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  const TensorList list = on.run()->outputs[0];
  test::expect_in("side_by_side()", test::message_of<DataError>([&] { list.as_tensor(); }));
  for (int64_t i = 0; i < list.size(); ++i) std::memset(list[i].data, static_cast<int>(i), list[i].nbytes());
  const TensorList packed = device::packed(list, on.gpu, on.backend->make_stream(0));
  ASSERT_TRUE(packed.contiguous());
  EXPECT_EQ(packed.as_tensor().buffer.device, 5);
  EXPECT_EQ(test::bytes_of(packed), test::bytes_of(list));
}

}  // namespace
}  // namespace penstock
