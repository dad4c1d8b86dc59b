// Which operators are a GPU's depends on the kernels that its half of the program has.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "kernels/elements/job.h"
#include "kernels/resample/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

class GpuKernels : public ::testing::Test {
 protected:
  /// Four pictures of 8 x 8, decoded and resized by the GPU if it can.
  Graph small_pictures() {
    Graph graph = test::decoding_on_gpu(folder_.reader_args(), "cuda");
    Node small = graph.add({.op = "resize",
                            .inputs = {graph.outputs()[0]},
                            .args = {{"size", std::vector<double>{8, 8}}},
                            .device = "gpu"})[0];
    small.on_gpu = true;
    graph.set_outputs({small});
    return graph;
  }
  static bool on_gpu(const Plan& plan, const std::string& op) {
    return std::ranges::find_if(plan.nodes, [&](const PlannedNode& node) { return node.asked.op == op; })->on_gpu;
  }
  test::Folder folder_{4};
};

TEST_F(GpuKernels, WithoutTheOneForAnOperatorTheHostDoesIt) {
  const auto args = folder_.reader_args();
  test::GpuRun<> with(test::decoding_on_gpu(args, "cuda"), OnError::kRaise);
  EXPECT_TRUE(on_gpu(with.plan, "decoders.image"));
  EXPECT_TRUE(with.plan.notes.empty());
  test::GpuRun<> without(test::decoding_on_gpu(args, "cuda"), OnError::kRaise, {"decode_jpeg"});
  EXPECT_FALSE(on_gpu(without.plan, "decoders.image"));
  ASSERT_EQ(without.plan.notes.size(), 1U);
  EXPECT_NE(
      without.plan.notes[0].find("decoders.image is done by the host: this GPU lacks a kernel of \"decode_jpeg\""),
      std::string::npos)
      << without.plan.notes[0];
  const auto batch = without.run();
  ASSERT_EQ(batch->outputs[0].size(), 4);
  EXPECT_EQ(batch->outputs[0].device(), 5) << "it is handed out where it was asked for";
}

TEST_F(GpuKernels, WithoutTheOneThatIsQuickerAnOperatorRunsAsAProgram) {
  test::GpuRun<> with(small_pictures(), OnError::kRaise);
  with.run();
  EXPECT_EQ(with.backend->launches(kernels::kResample), 1);
  EXPECT_EQ(with.backend->launches(kernels::kElements), 0);
  test::GpuRun<> without(small_pictures(), OnError::kRaise, {"resample"});
  without.run();
  EXPECT_EQ(without.backend->launches(kernels::kResample), 0);
  EXPECT_EQ(without.backend->launches(kernels::kElements), 1);
}

}  // namespace
}  // namespace penstock
