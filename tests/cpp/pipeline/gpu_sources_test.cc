// Batches that are fed in the memory of the pipeline's GPU.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/elements/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

/// Notes where launches read their first operand.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kElements, [this](const auto& batch) {
      for (int i = 0; i < batch.count; ++i)
        read.push_back(static_cast<const std::byte*>(batch.jobs[i].operand[0].data));
    });
  }
  std::vector<const std::byte*> read;
};

class GpuSources : public ::testing::Test {
 protected:
  Node times_two(Node x, const char* device) {
    Node made = graph_.add({.op = "arithmetic",
                            .inputs = {x},
                            .args = {{"op", std::string("mul")},
                                     {"operands", std::vector<std::string>{"&", "int32"}},
                                     {"integers", std::vector<int64_t>{2}}},
                            .device = device})[0];
    made.on_gpu = std::string(device) == "gpu";
    return made;
  }

  static int fed_value(const Plan& plan) { return plan.nodes[static_cast<size_t>(plan.externals[0])].outputs[0]; }
  bool host_needs_it() const {
    const test::GpuRun<Gpu> on(graph_, OnError::kRaise);
    return host_needs(on.plan, fed_value(on.plan));
  }

  Graph graph_;
  const Node fed_ = graph_.add({.op = "external_source", .name = "in"})[0];
};

TEST_F(GpuSources, AreReadWhereTheyLie) {
  graph_.set_outputs({times_two(fed_, "gpu")});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  const Buffer block = on.gpu.memory().allocate(4 * sizeof(int32_t), nullptr);
  on.chooser.orders();
  auto batch = new_batch(on.plan, 0, 4);
  batch->lists[static_cast<size_t>(on.plan.values[static_cast<size_t>(fed_value(on.plan))].list)] =
      TensorList(block, 4, {DType::kInt32, {1}, {}});
  on.executor.start(std::move(batch));
  on.take();
  ASSERT_EQ(on.backend->read.size(), 4);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(on.backend->read[i], block.data + i * sizeof(int32_t));
}

TEST_F(GpuSources, StayThereUnlessTheHostReadsThem) {
  graph_.set_outputs({times_two(fed_, "gpu")});
  EXPECT_FALSE(host_needs_it());
  graph_.set_outputs({times_two(fed_, "gpu"), times_two(fed_, "cpu")});
  EXPECT_TRUE(host_needs_it());
}

}  // namespace
}  // namespace penstock
