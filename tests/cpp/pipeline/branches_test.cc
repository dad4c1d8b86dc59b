// Nodes that make some samples only, and what joins them: on the host, and on a GPU of host memory.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/elements/job.h"
#include "ops/elements/run_program.h"
#include "pipeline/gpu_run.h"
#include "pipeline/list_builder.h"

namespace penstock {
namespace {

/// Does programs, and remembers of how many samples each launch was.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kElements, [this](const auto& batch) {
      counts.push_back(batch.count);
      for (int i = 0; i < batch.count; ++i) test::evaluate(batch.jobs[i]);
    });
  }
  std::vector<int> counts;
};

class Branches : public ::testing::Test {
 protected:
  Node times(Node x, int64_t factor, Node when = {}, const char* device = "cpu") {
    return graph_.add({.op = "arithmetic",
                       .inputs = {x},
                       .args = {{"op", "mul"},
                                {"operands", std::vector<std::string>{"&", "int32"}},
                                {"integers", std::vector<int64_t>{factor}}},
                       .device = device,
                       .when = when})[0];
  }
  Node truth(Node x, bool negate = false) {
    return graph_.add({.op = "_conditional_truth", .inputs = {x}, .args = {{"negate", negate}}})[0];
  }
  Node merged(Node then, Node otherwise, Node flag, const char* device = "cpu") {
    return graph_.add({.op = "_conditional_merge", .inputs = {then, otherwise, flag}, .device = device})[0];
  }
  /// The samples' only numbers.
  static std::vector<int> numbers(const TensorList& list) {
    std::vector<int> all;
    for (int64_t i = 0; i < list.size(); ++i) all.push_back(*list[i].as<int32_t>());
    return all;
  }

  Graph graph_;
  const Node numbers_ = graph_.add({.op = "batch_permutation"})[0];
};

TEST_F(Branches, EachSampleIsMadeInItsOwn) {
  const Node flag = truth(numbers_), other = truth(numbers_, true);
  graph_.set_outputs({numbers_, merged(times(numbers_, 10, flag), times(numbers_, -1, other), flag)});
  test::GpuRun<> on(graph_, OnError::kRaise);
  const auto batch = on.run();
  const std::vector<int> given = numbers(batch->outputs[0]), made = numbers(batch->outputs[1]);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(made[i], given[i] * 10);
  EXPECT_TRUE(batch->outputs[1].contiguous()) << "branches write where the batch lies";
}

TEST_F(Branches, ValuesOfABranchOutliveTheirStep) {
  const Node flag = truth(numbers_), doubled = times(numbers_, 2, flag);
  const Node order = graph_.add({.op = "permute_batch",
                                 .inputs = {doubled},
                                 .args = {{"indices", std::vector<int64_t>{0, 0, 0}}},
                                 .when = flag})[0];
  graph_.set_outputs({numbers_, merged(order, numbers_, flag)});
  test::GpuRun<> on(graph_, OnError::kRaise);
  const auto batch = on.run();
  const std::vector<int> given = numbers(batch->outputs[0]), made = numbers(batch->outputs[1]);
  const int first = *std::ranges::find_if(given, [](int x) { return x != 0; });
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(made[i], given[i] ? 2 * first : 0);
}

TEST_F(Branches, TextKeepsThem) {
  const Node flag = truth(numbers_);
  graph_.set_outputs({merged(times(numbers_, 2, flag), numbers_, flag)});
  const Graph again = Graph::from_json(graph_.to_json());
  EXPECT_EQ(again.to_json(), graph_.to_json());
  EXPECT_EQ(again.nodes()[2].when, flag);
  EXPECT_THROW(graph_.add({.op = "copy", .inputs = {flag}, .when = {99, 0}}), ArgumentError);
}

TEST_F(Branches, EqualNodesOfDifferentOnesStayTwo) {
  const Node flag = truth(numbers_), other = truth(numbers_, true);
  graph_.set_outputs({merged(times(numbers_, 7, flag), times(numbers_, 7, other), flag)});
  test::GpuRun<> on(graph_, OnError::kRaise);
  const auto batch = on.run();
  for (int x : numbers(batch->outputs[0])) EXPECT_EQ(x % 7, 0);
}

TEST_F(Branches, OnAGpuLaunchesAreOfTheirSamplesAlone) {
  const Node flag = truth(numbers_);
  const Node there = times(numbers_, 1, {}, "gpu");
  Node made = times(merged(times(there, 10, flag, "gpu"), there, flag, "gpu"), 3, {}, "gpu");
  made.on_gpu = true;
  graph_.set_outputs({numbers_, made});
  test::GpuRun<Gpu> on(graph_, OnError::kRaise);
  const auto batch = on.run();
  const std::vector<int> given = numbers(batch->outputs[0]), got = numbers(batch->outputs[1]);
  EXPECT_EQ(batch->outputs[1].device(), 5);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(got[i], given[i] * 30);
  EXPECT_EQ(on.backend->counts, (std::vector<int>{4, 3, 4})) << "all, a branch, and what joins with what follows";
}

TEST(SkippedSlots, HoldWhatAnotherHolds) {
  const auto pool = std::make_shared<HostPool>();
  ListBuilder builder([&](size_t bytes) { return pool->allocate(bytes); }, 3, false);
  TensorView view{{DType::kUInt8, {10}, {}}};
  view.data = builder.place(1, 10);
  builder.set(1, view, {});
  builder.skip(0);
  builder.skip(2);
  for (int time = 0; time < 2; ++time) {
    const TensorList list = builder.finish();
    ASSERT_EQ(list.size(), 3);
    EXPECT_FALSE(list.contiguous());
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(list[i].data, view.data);
  }
}

TEST(SkippedSlots, AreNothingWhereAllAre) {
  const auto pool = std::make_shared<HostPool>();
  ListBuilder builder([&](size_t bytes) { return pool->allocate(bytes); }, 2, false);
  builder.skip(0);
  builder.set_zero(1);
  EXPECT_EQ(builder.finish().size(), 0);
}

}  // namespace
}  // namespace penstock
