// Labels that move along with pictures that a GPU makes: the host knows where pixels go, and reads none.
#include <gtest/gtest.h>

#include "kernels/resample/job.h"
#include "pipeline/gpu_run.h"

namespace penstock {
namespace {

class GpuLabels : public ::testing::Test {
 protected:
  GpuLabels() {
    const auto read = graph_.add({.op = "readers.file", .args = folder_.reader_args(), .name = "files"});
    image_ = graph_.add({.op = "decoders.image", .inputs = {read[0]}, .device = "cpu"})[0];
    small_ = graph_.add({.op = "random_resized_crop", .inputs = {image_}, .args = size_, .device = "gpu"})[0];
    small_.on_gpu = true;
    const Node nothing = graph_.add(
        {.op = "zeros",
         .args = {{"shape", std::vector<int64_t>{0, 3}}, {"dtype", int64_t{static_cast<int>(DType::kFloat64)}}}})[0];
    geometry_ = graph_.add({.op = "follow_operator", .inputs = {small_, nothing, image_}})[0];
  }
  bool on_gpu(const Plan& plan, const std::string& op) {
    return std::ranges::find_if(plan.nodes, [&](const PlannedNode& node) { return node.asked.op == op; })->on_gpu;
  }

  test::Folder folder_{4};
  const std::map<std::string, ArgValue> size_ = {{"size", std::vector<int64_t>{8, 8}}};
  Graph graph_;
  Node image_, small_, geometry_;
};

TEST_F(GpuLabels, APictureWhoseShapeAloneTheHostLooksAtStaysOnTheGpu) {
  graph_.set_outputs({small_, geometry_});
  test::GpuRun<> on(graph_, OnError::kRaise);
  EXPECT_TRUE(on_gpu(on.plan, "random_resized_crop"));
  const auto batch = on.run();
  EXPECT_EQ(batch->outputs[0].device(), 5);
  ASSERT_EQ(batch->outputs[1].size(), 4);
  for (int64_t i = 0; i < 4; ++i) {
    const double* rows = batch->outputs[1][i].as<double>();
    EXPECT_EQ((std::vector<double>(rows + 12, rows + 14)), (std::vector<double>{8, 8})) << "extents of the picture";
    EXPECT_GT(rows[0], 0) << "its scale";
  }
}

TEST_F(GpuLabels, APictureThatTheHostReadsIsMadeThere) {
  const Node read = graph_.add({.op = "copy", .inputs = {small_}, .device = "cpu"})[0];
  graph_.set_outputs({small_, geometry_, read});
  test::GpuRun<> on(graph_, OnError::kRaise);
  EXPECT_FALSE(on_gpu(on.plan, "random_resized_crop"));
}

TEST_F(GpuLabels, AnOperatorThatMovesNothingHasNoGeometry) {
  const Node copied = graph_.add({.op = "copy", .inputs = {image_}})[0];
  graph_.set_outputs({graph_.add({.op = "follow_operator", .inputs = {copied, geometry_, image_}})[0]});
  EXPECT_THROW(test::GpuRun<>(graph_, OnError::kRaise), ArgumentError);
}

}  // namespace
}  // namespace penstock
