// Labels that move along with pictures that a GPU makes: the host knows where pixels go, and reads none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "core/message.h"
#include "kernels/resample/job.h"
#include "kernels/rows/rows.h"
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
         .args = {{"shape", std::vector<int64_t>{0, 4}}, {"dtype", int64_t{static_cast<int>(DType::kFloat64)}}}})[0];
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
    EXPECT_EQ((std::vector<double>(rows + 20, rows + 22)), (std::vector<double>{8, 8})) << "extents of the picture";
    EXPECT_GT(rows[0], 0) << "its scale";
  }
}

TEST_F(GpuLabels, ShapesKeepNoPictureOnTheHost) {
  const Node shape = graph_.add({.op = "shapes", .inputs = {small_}, .device = "cpu"})[0];
  graph_.set_outputs({small_, shape});
  test::GpuRun<> on(graph_, OnError::kRaise);
  EXPECT_TRUE(on_gpu(on.plan, "random_resized_crop"));
  const auto batch = on.run();
  for (int64_t i = 0; i < 4; ++i) {
    const int64_t* extents = batch->outputs[1][i].as<int64_t>();
    EXPECT_EQ((std::vector<int64_t>(extents, extents + 3)), (std::vector<int64_t>{8, 8, 3}));
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

/// Of a box and its label, for two anchors; `from` makes the box.
std::vector<Node> encoded(Graph& graph, const std::string& from, const std::string& device) {
  Node boxes =
      graph.add({.op = "constant",
                 .args = {{"fdata", std::vector<double>{.1, .1, .5, .6}}, {"shape", std::vector<int64_t>{1, 4}}}})[0];
  const Node labels = graph.add({.op = "constant", .args = {{"idata", std::vector<int64_t>{7}}}})[0];
  boxes = graph.add({.op = "copy", .inputs = {boxes}, .device = from})[0];
  boxes.on_gpu = from == "gpu";
  std::vector<Node> made = graph.add({.op = "box_encoder",
                                      .inputs = {boxes, labels},
                                      .args = {{"anchors", std::vector<double>{0, 0, .5, .5, .5, .5, 1, 1}}},
                                      .device = device});
  for (Node& one : made) one.on_gpu = device == "gpu";
  return made;
}

TEST_F(GpuLabels, TheHostEncodesBoxesAndTheGpuGetsThem) {
  for (const char* from : {"cpu", "gpu"}) {
    Graph graph;
    const std::vector<Node> made = encoded(graph, from, "gpu");
    graph.set_outputs({made[0], made[1]});
    test::GpuRun<> on(graph, OnError::kRaise);
    EXPECT_FALSE(on_gpu(on.plan, "box_encoder"));
    EXPECT_FALSE(on_gpu(on.plan, "copy")) << "the host reads what it makes";
    const auto batch = on.run();
    for (const TensorList& output : batch->outputs) EXPECT_EQ(output.device(), 5);
    for (int64_t i = 0; i < 4; ++i) {
      const auto* boxes = batch->outputs[0][i].as<float>();
      const std::vector<float> expected = {.3f, .35f, .4f, .5f, .75f, .75f, .5f, .5f};
      for (size_t k = 0; k < expected.size(); ++k) EXPECT_FLOAT_EQ(boxes[k], expected[k]) << k;
      EXPECT_EQ(batch->outputs[1][i].as<int32_t>()[0], 7);
      EXPECT_EQ(batch->outputs[1][i].as<int32_t>()[1], 0);
    }
  }
}

/// Maps rows, and refuses those that are not finite.
struct RowsGpu : device::test::FakeBackend {
  RowsGpu() {
    on(kernels::kRows, [](const auto& batch) {
      for (int i = 0; i < batch.count; ++i) {
        const kernels::RowsJob& job = batch.jobs[i];
        kernels::map_rows<float, float>(job);
        const std::span<const float> numbers(static_cast<const float*>(job.in), static_cast<size_t>(4 * job.rows));
        const bool finite = std::ranges::all_of(numbers, [](float one) { return std::isfinite(one); });
        if (job.refused && !finite) *job.refused = 1;
      }
    });
  }
};

/// What the error says of that box, flipped or pasted on a GPU.
std::string said_of(double left, const std::string& op, bool checks = true) {
  Graph graph;
  const Node boxes = graph.add({.op = "constant", .args = {{"fdata", std::vector<double>{left, .1, .5, .6}}}})[0];
  std::map<std::string, ArgValue> args = {{"check_boxes", checks}};
  if (op == "bbox_paste") args["ratio"] = 2.0, args["paste_x"] = 0.0, args["paste_y"] = 0.0;
  Node made = graph.add({.op = op, .inputs = {boxes}, .args = args, .device = "gpu"})[0];
  made.on_gpu = true;
  graph.set_outputs({made});
  test::GpuRun<RowsGpu> on(graph, OnError::kRaise);
  EXPECT_TRUE(on.plan.nodes.back().on_gpu);
  try {
    const auto batch = on.run();
    EXPECT_EQ(batch->outputs[0].device(), 5);
  } catch (const DataError& e) {
    return e.what();
  }
  return "nothing";
}

TEST(GpuBoxes, OfNumbersThatAreNotFiniteAreRefusedUnlessTheyMayPass) {
  for (const char* op : {"bb_flip", "bbox_paste"}) {
    for (const double bad : {double{NAN}, double{INFINITY}}) {
      test::expect_in(std::string("[") + op + "] the GPU found a box with a number that is not finite",
                      said_of(bad, op));
      EXPECT_EQ(said_of(bad, op, false), "nothing");
    }
    EXPECT_EQ(said_of(.2, op), "nothing");
  }
}

}  // namespace
}  // namespace penstock
