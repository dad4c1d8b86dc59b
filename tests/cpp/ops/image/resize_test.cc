#include <gtest/gtest.h>

#include "../run_op.h"
#include "ops/image/random_window.h"

namespace penstock {

void register_resize(Registry& r);
void register_random_resized_crop(Registry& r);
void register_resize_crop_mirror(Registry& r);

namespace {

using test::Args;
using test::HostTensor;
using test::RunOp;

const Registry& operators() {
  static const Registry registry =
      test::registry_of({register_resize, register_random_resized_crop, register_resize_crop_mirror});
  return registry;
}

std::vector<int64_t> list(std::initializer_list<int64_t> values) { return values; }

HostTensor numbers(const std::vector<float>& values) {
  return HostTensor(Shape{static_cast<int64_t>(values.size())}, {}, values);
}

HostTensor with_layout(Shape shape, Layout layout) {
  HostTensor tensor({DType::kUInt8, shape, layout});
  for (size_t i = 0; i < tensor.bytes.size(); ++i) tensor.bytes[i] = static_cast<std::byte>(mix64(i));
  return tensor;
}

/// A window of the output, made of no more of the input than the operator asks for, equals that part of the whole.
void expect_windows_agree(const std::string& name, const Args& args, const HostTensor& input) {
  const HostTensor whole = RunOp(operators().at(name), args)({input})[0];
  const PlaneRegion all = penstock::whole_plane(whole.desc);
  for (const PlaneRegion& window : {PlaneRegion{0, 0, 1, 1}, PlaneRegion{1, 2, all.y1 - 1, all.x1 - 1},
                                    PlaneRegion{all.y1 - 2, 0, all.y1, all.x1}, PlaneRegion{0, 3, all.y1, 4}}) {
    RunOp op(operators().at(name), args);
    EXPECT_EQ(op({input}, &window)[0].bytes, test::cut_out(whole, window).bytes)
        << name << " " << input.desc.layout.view() << " from row " << window.y0;
  }
}

TEST(Resize, WindowsOfTheOutputEqualThatPartOfTheWhole) {
  const Args args = {{"resize_shorter", 11.0}};
  for (const char* layout : {"HWC", "CHW", "FHWC", "FCHW", "CFHW"}) {
    Shape shape;
    for (const char letter : std::string(layout)) shape.push_back(letter == 'H' ? 30 : letter == 'W' ? 21 : 2);
    expect_windows_agree("resize", args, with_layout(shape, layout));
    expect_windows_agree("random_resized_crop", {{"size", list({12, 9})}}, with_layout(shape, layout));
  }
  expect_windows_agree("resize", {{"size", 9.0}}, with_layout({5, 20, 13, 2}, "DHWC"));
  for (const int64_t mirror : {0, 1, 2, 3})
    expect_windows_agree("resize_crop_mirror", {{"resize_shorter", 25.0}, {"crop", list({14, 12})}, {"mirror", mirror}},
                         test::test_image(33, 40));
}

TEST(Resize, AsksOnlyForThePartOfTheInputThatIsRead) {
  RunOp op(operators().at("resize"), {{"size", list({50, 100})}, {"interp_type", int64_t{0}}});
  const PlaneRegion window{10, 20, 12, 23};
  op({test::test_image(100, 100)}, &window);
  EXPECT_EQ(op.needed()[0], (PlaneRegion{21, 20, 24, 23}));
}

TEST(Resize, TakesArgumentsPerSample) {
  const HostTensor image = test::test_image(20, 30);
  EXPECT_EQ(RunOp(operators().at("resize"), {}, {{"size", numbers({7, 9})}})({image})[0].bytes,
            RunOp(operators().at("resize"), {{"size", list({7, 9})}})({image})[0].bytes);
  const HostTensor filter(Shape{}, {}, std::vector<int32_t>{2});
  EXPECT_EQ(RunOp(operators().at("resize"), {{"size", 9.0}}, {{"interp_type", filter}})({image})[0].bytes,
            RunOp(operators().at("resize"), {{"size", 9.0}, {"interp_type", int64_t{2}}})({image})[0].bytes);
}

TEST(Resize, FramesAndPlanesAreResizedOneByOne) {
  const HostTensor video = with_layout({3, 14, 10, 3}, "FHWC");
  const Args args = {{"size", list({9, 13})}};
  const HostTensor out = RunOp(operators().at("resize"), args)({video})[0];
  ASSERT_EQ(out.desc.shape, (Shape{3, 9, 13, 3}));
  HostTensor last({DType::kUInt8, Shape{14, 10, 3}, "HWC"});
  std::copy(video.bytes.end() - 14 * 10 * 3, video.bytes.end(), last.bytes.begin());
  const HostTensor alone = RunOp(operators().at("resize"), args)({last})[0];
  EXPECT_TRUE(std::equal(alone.bytes.begin(), alone.bytes.end(), out.bytes.end() - 9 * 13 * 3));
}

TEST(Resize, EmptyInputsStayEmpty) {
  const auto out = RunOp(operators().at("resize"), {{"resize_shorter", 5.0}})({test::test_image(0, 7)});
  EXPECT_EQ(out[0].desc.shape.volume(), 0);
}

TEST(Resize, OnePixelFillsTheResult) {
  const HostTensor pixel(Shape{1, 1, 3}, "HWC", std::vector<uint8_t>{1, 2, 3});
  const auto out = RunOp(operators().at("resize"), {{"size", list({2, 2})}, {"interp_type", int64_t{3}}})({pixel});
  EXPECT_EQ(out[0].values<uint8_t>(), (std::vector<uint8_t>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
}

void expect_refused(const Args& args, const std::string& reason, const HostTensor& input = test::test_image(9, 9)) {
  try {
    RunOp(operators().at("resize"), args)({input});
    ADD_FAILURE() << "not refused: " << reason;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

TEST(Resize, RefusesContradictingArguments) {
  expect_refused({}, "Exactly one method");
  expect_refused({{"size", 5.0}, {"resize_x", 3.0}}, "Exactly one method");
  expect_refused({{"resize_shorter", 5.0}, {"mode", std::string("stretch")}}, "`mode` cannot be combined");
  expect_refused({{"size", 5.0}, {"mode", std::string("wrong")}}, "must be one of");
  expect_refused({{"size", list({1, 2, 3})}}, "`size` needs one value for each of the 2");
  expect_refused({{"size", 5.0}, {"roi_start", list({1, 1})}}, "given together");
  expect_refused({{"size", 5.0}, {"dtype", static_cast<int64_t>(DType::kInt16)}}, "`dtype` must be");
  expect_refused({{"size", 5.0}, {"interp_type", int64_t{17}}}, "filter number 17");
  expect_refused({{"size", 1e30}}, "out of all range");
  expect_refused({{"size", 5.0}}, "int32", HostTensor({DType::kInt32, Shape{2, 2, 1}, "HWC"}));
}

TEST(RandomResizedCrop, IsAResizeOfTheRandomWindow) {
  const HostTensor image = test::test_image(60, 80);
  constexpr uint64_t kSeed = 7;
  for (uint64_t sample = 0; sample < 20; ++sample) {
    const SampleId id{.epoch = 3, .sample = sample};
    Random random(kSeed, id.epoch, id.sample);
    const Extent window = random_window(random, 60, 80, {});
    RunOp crop(operators().at("random_resized_crop"), {{"size", list({20, 24})}}, {}, kSeed);
    const std::vector<int64_t> start = {window.y, window.x}, end = {window.y + window.h, window.x + window.w};
    RunOp resize(operators().at("resize"), {{"size", list({20, 24})}, {"roi_start", start}, {"roi_end", end}});
    EXPECT_EQ(crop({image}, nullptr, id)[0].bytes, resize({image})[0].bytes);
  }
}

TEST(RandomResizedCrop, RefusesWrongSizes) {
  EXPECT_THROW(RunOp(operators().at("random_resized_crop"), {{"size", list({3, 4, 5})}}), ArgumentError);
  EXPECT_THROW(RunOp(operators().at("random_resized_crop"), {{"size", list({0, 4})}}), ArgumentError);
}

TEST(ResizeCropMirror, CropsAndTurnsTheResizedImage) {
  const HostTensor image = test::test_image(31, 45);
  const HostTensor resized = RunOp(operators().at("resize"), {{"size", list({20, 28})}})({image})[0];
  Args args = {{"size", list({20, 28})}, {"crop", list({10, 12})}, {"crop_pos_x", 0.25}, {"crop_pos_y", 1.0}};
  const PlaneRegion window{10, 4, 20, 16};
  EXPECT_EQ(RunOp(operators().at("resize_crop_mirror"), args)({image})[0].bytes, test::cut_out(resized, window).bytes);
  args["mirror"] = int64_t{1};
  const HostTensor mirrored = RunOp(operators().at("resize_crop_mirror"), args)({image})[0];
  const auto straight = test::cut_out(resized, window).values<uint8_t>(), turned = mirrored.values<uint8_t>();
  for (size_t y = 0; y < 10; ++y)
    for (size_t x = 0; x < 12; ++x)
      for (size_t c = 0; c < 3; ++c) EXPECT_NEAR(turned[(y * 12 + x) * 3 + c], straight[(y * 12 + 11 - x) * 3 + c], 1);
}

TEST(ResizeCropMirror, RefusesToCropFrames) {
  RunOp op(operators().at("resize_crop_mirror"), {{"size", 9.0}, {"crop", list({2, 4, 4})}});
  EXPECT_THROW(op({with_layout({3, 12, 12, 1}, "FHWC")}), ArgumentError);
}

}  // namespace
}  // namespace penstock
