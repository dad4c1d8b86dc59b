// Whom an error names where several operators are one launch, which is all that a GPU can tell.
#include <gtest/gtest.h>

#include "kernels/elements/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

/// Refuses each sample of every launch that may do so.
struct Gpu : device::test::FakeBackend {
  Gpu() {
    on(kernels::kElements, [](const auto& batch) {
      for (int i = 0; i < batch.count; ++i)
        if (batch.jobs[i].refused) *batch.jobs[i].refused = 1;
    });
  }
};

class GpuArithmetic : public ::testing::Test {
 protected:
  Node on_gpu(const std::string& op, std::vector<Node> inputs, const char* origin, std::vector<std::string> operands) {
    std::map<std::string, ArgValue> args = {{"op", op}, {"operands", std::move(operands)}};
    args["integers"] = std::vector<int64_t>(2 - inputs.size(), 2);
    Node made = graph_.add({.op = "arithmetic", .inputs = inputs, .args = args, .device = "gpu", .origin = origin})[0];
    made.on_gpu = true;
    return made;
  }
  Node times_two(Node x) { return on_gpu("mul", {x}, "times two", {"&", "int32"}); }
  Node half_of(Node x) { return on_gpu("div", {x}, "half", {"&", "int32"}); }
  Node divided(Node x) { return on_gpu("div", {x, labels_}, "divided", {"&", "&"}); }

  /// Which operator is to blame that the batch fails.
  std::string blamed(Node result) {
    graph_.set_outputs({result});
    test::GpuRun<Gpu> on(graph_, OnError::kRaise);
    try {
      on.run();
    } catch (const DataError& e) {
      EXPECT_EQ(on.backend->launches(kernels::kElements), 1) << "they are to share one";
      return e.context().origin;
    }
    return "nobody";
  }

  test::Folder folder_{4};
  Graph graph_;
  const Node labels_ = graph_.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"})[1];
};

TEST_F(GpuArithmetic, WhatOnlyMultipliesIsNotToBlameForADivisionByZero) {
  EXPECT_EQ(blamed(divided(times_two(labels_))), "divided");
}

TEST_F(GpuArithmetic, WhatDividesByANumberThatIsNotZeroIsNotToBlameEither) {
  EXPECT_EQ(blamed(divided(half_of(labels_))), "divided");
}

}  // namespace
}  // namespace penstock
