// Operators whose kernels the host's threads play, on a GPU of host memory: what they make is what the host makes.
#include <gtest/gtest.h>

#include "cuda/kernels/grid_mask.cuh"
#include "cuda/kernels/jpeg_distortion.cuh"
#include "cuda/kernels/pad.cuh"
#include "cuda/kernels/paste.cuh"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

using Args = std::map<std::string, ArgValue>;

struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kPaste, [](const auto& batch) {
      EXPECT_EQ(batch.parameters.element_bytes, 1);
      cuda::on_threads::run_grid(1, static_cast<uint32_t>(batch.count), cuda::kPasteThreads,
                                 [&] { cuda::paste_kernel<uint8_t>(batch.jobs); });
    });
    on(kernels::kPad, [](const auto& batch) {
      EXPECT_EQ(batch.parameters.element_bytes, 1);
      cuda::on_threads::run_grid(1, static_cast<uint32_t>(batch.count), cuda::kPadThreads,
                                 [&] { cuda::pad_kernel<uint8_t, int32_t>(batch.jobs); });
    });
    on(kernels::kGridMask, [](const auto& batch) {
      cuda::on_threads::run_grid(1, static_cast<uint32_t>(batch.count), cuda::kGridThreads,
                                 [&] { cuda::grid_mask_kernel<uint8_t, int32_t>(batch.jobs); });
    });
    on(kernels::kJpegDistortion, [](const auto& batch) {
      const auto jobs = static_cast<uint32_t>(batch.count);
      cuda::on_threads::run_grid(1, jobs, cuda::kDistortionThreads, [&] { cuda::distort_kernel(batch.jobs); });
      cuda::on_threads::run_grid(1, jobs, cuda::kShowThreads, [&] { cuda::show_kernel(batch.jobs); });
    });
  }
};

class GpuPictures : public ::testing::Test {
 protected:
  /// The operator on pictures of 16 rows and 16 to 19 columns.
  Graph graph_of(const std::string& op, const Args& args, bool on_gpu) const {
    Graph graph;
    const auto read = graph.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
    const Node image = graph.add({.op = "decoders.image", .inputs = {read[0]}})[0];
    Node made = graph.add({.op = op, .inputs = {image}, .args = args, .device = on_gpu ? "gpu" : "cpu"})[0];
    made.on_gpu = on_gpu;
    graph.set_outputs({made});
    return graph;
  }
  template <class Job, class Parameters>
  void expect_alike(const std::string& op, const Args& args, const device::Kernel<Job, Parameters>& kernel) {
    test::GpuRun<Gpu> there(graph_of(op, args, true), OnError::kRaise),
        here(graph_of(op, args, false), OnError::kRaise);
    const auto made = there.run(), expected = here.run();
    EXPECT_EQ(there.backend->launches(kernel), 1) << "the GPU is to do it";
    EXPECT_EQ(here.backend->launches(kernel), 0);
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(made->outputs[0][i].shape, expected->outputs[0][i].shape);
    EXPECT_EQ(test::bytes_of(made->outputs[0]), test::bytes_of(expected->outputs[0]));
  }

  test::Folder folder_{4};
};

using Ints = std::vector<int64_t>;

TEST_F(GpuPictures, RegionsArePastedAsOnTheHost) {
  const Args args = {{"in_ids", Ints{3, 0, 1}},
                     {"output_size", Ints{24, 37}},
                     {"in_anchors", Ints{0, 0, 3, 2, 5, 6}},
                     {"shapes", Ints{16, 19, 11, 7, 0, 3}},
                     {"out_anchors", Ints{1, 2, 5, 9, 0, 0}}};
  expect_alike("multi_paste", args, kernels::kPaste);
}

TEST_F(GpuPictures, WhereNothingIsPastedNothingIsLeft) {
  expect_alike("multi_paste", {{"in_ids", Ints{}}, {"output_size", Ints{5, 7}}}, kernels::kPaste);
}

TEST_F(GpuPictures, ArePaddedAsOnTheHost) {
  expect_alike("pad", {}, kernels::kPad);
  expect_alike("pad", {{"axes", Ints{0, 1}}, {"shape", Ints{20, 31}}, {"fill_value", 300.0}}, kernels::kPad);
  expect_alike("pad", {{"axes", Ints{2}}, {"shape", Ints{4}}, {"fill_value", 9.0}}, kernels::kPad);
}

TEST_F(GpuPictures, AreMaskedAsOnTheHost) {
  expect_alike("grid_mask", {{"tile", int64_t{5}}, {"ratio", 0.6}, {"angle", 0.3}}, kernels::kGridMask);
}

TEST_F(GpuPictures, AreDistortedAsOnTheHost) {
  for (const int64_t quality : {-3, 10, 90})
    expect_alike("jpeg_compression_distortion", {{"quality", quality}}, kernels::kJpegDistortion);
}

}  // namespace
}  // namespace penstock
