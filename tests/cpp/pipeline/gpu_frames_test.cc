// What a GPU is told of sequences of which only some frames are wanted, on one of host memory.
#include <gtest/gtest.h>

#include "kernels/resample/job.h"
#include "kernels/sampled/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

constexpr int64_t kFrames = 6, kFrameBytes = 3 * 4 * 3;

/// Remembers which frames kernels were given.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kSampledAffine, [this](const auto& batch) {
      for (int i = 0; i < batch.count; ++i) {
        const auto& job = batch.jobs[i];
        const auto* first = static_cast<const uint8_t*>(job.source.in);
        looked_up.emplace_back(first, first + job.frames * kFrameBytes);
        first_frames.push_back(job.target.first[2]);
      }
    });
    on(kernels::kResample, [this](const auto& batch) {
      for (int i = 0; i < batch.count; ++i) {
        const auto& job = batch.jobs[i];
        const auto* first = static_cast<const uint8_t*>(job.in) + job.skipped * kFrameBytes;
        resampled.emplace_back(first, first + job.outer * kFrameBytes);
      }
    });
  }
  std::vector<std::vector<uint8_t>> looked_up, resampled;
  std::vector<int32_t> first_frames;
};

class GpuFrames : public ::testing::Test {
 protected:
  GpuFrames() {
    for (int64_t i = 0; i < kFrames * kFrameBytes; ++i) values_.push_back(static_cast<uint8_t>(i));
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (6, 3, 4, 3), }";
    header.resize(117, ' ');
    const std::string text = std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + '\n' +
                             std::string(reinterpret_cast<const char*>(values_.data()), values_.size());
    const std::string file = dir_.write("film.npy", text);
    film_ = graph_.add({.op = "readers.numpy", .args = {{"files", std::vector<std::string>(4, file)}}})[0];
  }
  Node on_gpu(const char* op, Node input, std::map<std::string, ArgValue> args) {
    Node made = graph_.add({.op = op, .inputs = {input}, .args = std::move(args), .device = "gpu"})[0];
    made.on_gpu = true;
    return made;
  }
  Node frames(Node of, int64_t first, int64_t count) {
    using Ints = std::vector<int64_t>;
    return on_gpu("slice", of, {{"start", Ints{first}}, {"shape", Ints{count}}, {"axes", Ints{0}}});
  }
  std::vector<uint8_t> frames_3_and_4() const {
    return {values_.begin() + 3 * kFrameBytes, values_.begin() + 5 * kFrameBytes};
  }

  test::TempDir dir_;
  std::vector<uint8_t> values_;
  Graph graph_;
  Node film_;
};

TEST_F(GpuFrames, ThoseThatAreWantedAreLookedUpWhereMoreAreHeld) {
  const Node turned = on_gpu("warp_affine", film_, {{"matrix", std::vector<double>{1, 0, 0.5, 0, 1, 0}}});
  graph_.set_outputs({frames(turned, 3, 2), frames(film_, 1, 4)});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  on.run();
  ASSERT_EQ(on.backend->looked_up.size(), 4u);
  for (const auto& frames : on.backend->looked_up) EXPECT_EQ(frames, frames_3_and_4());
  EXPECT_EQ(on.backend->first_frames, std::vector<int32_t>(4, 3));
}

TEST_F(GpuFrames, ThoseThatAreWantedAreResampledWhereMoreAreHeld) {
  const Node small = on_gpu("resize", film_, {{"size", std::vector<double>{2, 2}}});
  const Node turned = on_gpu("warp_affine", small, {{"matrix", std::vector<double>{1, 0, 0.5, 0, 1, 0}}});
  graph_.set_outputs({frames(turned, 3, 2), frames(film_, 1, 4)});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  on.run();
  ASSERT_EQ(on.backend->resampled.size(), 4u);
  for (const auto& frames : on.backend->resampled) EXPECT_EQ(frames, frames_3_and_4());
}

}  // namespace
}  // namespace penstock
