#include "core/temp_dir.h"
#include "readers/coco/annotations.h"
#include "readers/coco/data_set.h"
#include "readers/coco/mask.h"
#include "run_reader.h"

namespace penstock {
void register_coco(Registry& r);
namespace {

using test::expect_in;
using test::message_of;
using test::ReadSample;
using test::RunReader;
using test::TempDir;

using coco::Canvas;
using coco::Vertex;

std::vector<std::string> painted(std::span<const Vertex> polygon, int64_t height, int64_t width) {
  std::vector<int32_t> pixels(static_cast<size_t>(height * width));
  std::vector<int64_t> ends;
  coco::paint(polygon, 1, Canvas{pixels.data(), height, width}, ends);
  std::vector<std::string> rows;
  for (int64_t y = 0; y < height; ++y) {
    std::string& row = rows.emplace_back();
    for (int64_t x = 0; x < width; ++x) row += pixels[static_cast<size_t>(y * width + x)] == 1 ? '#' : '.';
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(CocoMask, AnOutlineHoldsThePixelsWhoseMiddlesAreInside) {
  const Vertex box[] = {{1, 1}, {4, 1}, {4, 3}, {1, 3}};
  EXPECT_EQ(painted(box, 4, 6), (Rows{"......", ".###..", ".###..", "......"}));
}

TEST(CocoMask, VerticesFarAwayCostNoTimeAndAreCutOff) {
  const Vertex all[] = {{-1e30f, -1e30f}, {1e30f, -1e30f}, {1e30f, 1e30f}, {-1e30f, 1e30f}};
  EXPECT_EQ(painted(all, 2, 3), (Rows{"###", "###"}));
  const Vertex left[] = {{-1e9f, -5}, {2, -5}, {2, 5e8f}, {-1e9f, 5e8f}};
  EXPECT_EQ(painted(left, 2, 4), (Rows{"##..", "##.."}));
}

TEST(CocoMask, WhatIsNoAreaPaintsNothing) {
  const Vertex line[] = {{1, 1}, {3, 3}}, point[] = {{2, 2}};
  for (const std::span<const Vertex> none :
       {std::span<const Vertex>(line), std::span<const Vertex>(point), std::span<const Vertex>()})
    EXPECT_EQ(painted(none, 2, 5), (Rows{".....", "....."}));
}

TEST(CocoMask, RunsGoDownColumnsAndEndWithThePicture) {
  std::vector<int32_t> pixels(6);
  const uint32_t counts[] = {1, 3, 1, 0xffffffff, 7};
  coco::paint(counts, 5, Canvas{pixels.data(), 2, 3});
  EXPECT_EQ(pixels, (std::vector<int32_t>{0, 5, 0, 5, 5, 5}));
}

TEST(CocoMask, CompressedRunsAreDifferencesFromTheFourthOn) {
  std::vector<uint32_t> counts = {99};  // of another mask
  coco::append_counts("052d1V1", 1000, counts);
  EXPECT_EQ(counts, (std::vector<uint32_t>{99, 0, 5, 2, 57, 40}));
  for (const char* bad : {"05P", "0 ", "\x7f", "0O", "oooooooo0", "0oo0"})
    EXPECT_THROW(coco::append_counts(bad, 64, counts), DataError) << bad;
}

std::string file_of(const std::string& annotations, const std::string& size = R"("width": 6, "height": 4, )") {
  return R"({"images": [{"id": 8, )" + size + R"("file_name": "b.jpg"}, {"file_name": "a.jpg", )" + size +
         R"("id": 5}], "categories": [{"id": 20}, {"id": 10}], "annotations": [)" + annotations + "]}";
}

const char* kBox = R"({"image_id": 8, "category_id": 10, "bbox": [1, 1, 3, 2],
                       "segmentation": [[1, 1, 4, 1, 4, 3, 1, 3]]})";
const char* kRuns = R"({"bbox": [0, 0, 2, 2.5], "iscrowd": true, "category_id": 20.0,
                        "segmentation": {"counts": [0, 2, 22], "size": [4, 6]}, "image_id": 8})";

RunReader reader(const TempDir& dir, const std::string& text, std::map<std::string, ArgValue> args) {
  dir.write("a.jpg", "AA");
  dir.write("b.jpg", "B");
  args["file_root"] = dir.path();
  args["annotations_file"] = dir.write("annotations.json", text);
  return RunReader(&register_coco, std::move(args));
}

TEST(Coco, SamplesAreOrderedByIdAndClassesAreNumbered) {
  const TempDir dir;
  RunReader run = reader(dir, file_of(std::string(kBox) + "," + kRuns), {{"ltrb", true}, {"image_ids", true}});
  const ReadSample first = run.read(0), second = run.read(1);
  EXPECT_EQ(first[0].text(), "AA");
  EXPECT_EQ(first[1].desc, (TensorDesc{DType::kFloat, {0, 4}, {}}));
  EXPECT_EQ(first[3].values<int32_t>(), std::vector<int32_t>{5});
  EXPECT_EQ(second[1].values<float>(), (std::vector<float>{1, 1, 4, 3, 0, 0, 2, 2.5}));
  EXPECT_EQ(second[2].values<int32_t>(), (std::vector<int32_t>{2, 1}));
  EXPECT_EQ(second.source, "b.jpg");
}

TEST(Coco, PixelsHaveTheHigherClass) {
  const TempDir dir;
  RunReader run = reader(dir, file_of(std::string(kRuns) + "," + kBox), {{"pixelwise_masks", true}, {"ratio", true}});
  const ReadSample sample = run.read(1);
  EXPECT_EQ(sample[3].desc, (TensorDesc{DType::kInt32, {4, 6, 1}, "HWC"}));
  EXPECT_EQ(sample[3].values<int32_t>(),
            (std::vector<int32_t>{1, 0, 0, 0, 0, 0, 1, 2, 2, 2, 0, 0, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Coco, PolygonsTellTheirObjectAndVertices) {
  const TempDir dir;
  const std::string two = R"({"image_id": 8, "category_id": 10, "bbox": [1, 1, 3, 2],
                              "segmentation": [[0, 0, 1, 1], [2, 2, 3, 3, 4, 4]]})";
  RunReader run = reader(dir, file_of(std::string(kBox) + "," + two), {{"polygon_masks", true}});
  const ReadSample sample = run.read(1);
  EXPECT_EQ(sample[3].values<int32_t>(), (std::vector<int32_t>{0, 0, 4, 1, 4, 6, 1, 6, 9}));
  EXPECT_EQ(sample[4].desc, (TensorDesc{DType::kFloat, {9, 2}, {}}));
}

TEST(Coco, FilesThatEndAnywhereAreRefused) {
  const std::string whole = file_of(std::string(kBox) + "," + kRuns);
  for (size_t cut = 0; cut < whole.size(); ++cut)
    EXPECT_THROW(coco::parse_annotations(whole.substr(0, cut), {.polygons = true, .masks = true}), DataError) << cut;
  EXPECT_EQ(coco::parse_annotations(whole, {}).objects.size(), 2U);
}

TEST(Coco, AFaultInTheTextHasItsLineAndColumn) {
  expect_in("entry 1 of `annotations`, line 3, column 2",
            message_of<DataError>([] { coco::parse_annotations(file_of(std::string(kBox) + ",\n [1]"), {}); }));
}

TEST(Coco, FingerprintsTellDataSetsApart) {
  const TempDir one, two;
  const std::string text = file_of(kBox);
  const uint64_t first = reader(one, text, {}).reader().fingerprint();
  EXPECT_EQ(reader(two, text, {}).reader().fingerprint(), first);
  EXPECT_NE(reader(two, file_of(std::string(kBox) + "," + kRuns), {}).reader().fingerprint(), first);
}

}  // namespace
}  // namespace penstock
