#include <gtest/gtest.h>

#include "../run_op.h"
#include "core/convert.h"

namespace penstock {

void register_brightness_contrast(Registry& r);
void register_color_twist(Registry& r);
void register_color_space_conversion(Registry& r);

namespace {

using test::Args;
using test::HostTensor;
using test::RunOp;

const Registry& ops() {
  static const Registry all =
      test::registry_of({register_brightness_contrast, register_color_twist, register_color_space_conversion});
  return all;
}

HostTensor run(const std::string& name, Args args, HostTensor input, const PlaneRegion* wanted = nullptr) {
  return RunOp(ops().at(name), std::move(args))({std::move(input)}, wanted)[0];
}

ArgValue number(DType dtype) { return static_cast<int64_t>(dtype); }
ArgValue number(ImageType type) { return static_cast<int64_t>(type); }

TEST(BrightnessContrast, VectorsRoundAsTheScalarFormula) {
  std::vector<uint8_t> all(256 + 3);  // every value, and a rest that fills no vector
  std::iota(all.begin(), all.end(), uint8_t{0});
  const HostTensor image(Shape{1, static_cast<int64_t>(all.size()), 1}, "HWC", all);
  for (const auto& [brightness, contrast, shift] :
       {std::tuple(1.5, 0.5, 0.1), {0.5, 1.0, 0.0}, {2.5, 3.0, -1.0}, {1.0, 1.0, 0.0}, {0.25, -1.0, 0.5}}) {
    const auto b = static_cast<float>(brightness), c = static_cast<float>(contrast), s = static_cast<float>(shift);
    const float factor = b * c, summand = s * 255.f + b * (128.f - 128.f * c);
    const auto out = run("brightness_contrast",
                         {{"brightness", brightness}, {"contrast", contrast}, {"brightness_shift", shift}}, image)
                         .values<uint8_t>();
    for (size_t i = 0; i < all.size(); ++i)
      ASSERT_EQ(out[i], convert_sat<uint8_t>(static_cast<float>(all[i]) * factor + summand)) << i << " * " << factor;
  }
}

TEST(BrightnessContrast, RangesFollowInputAndOutputTypes) {
  const HostTensor image(Shape{1, 2, 1}, "HWC", std::vector<int16_t>{0, 16384});
  EXPECT_EQ(run("contrast", {{"contrast", 0.5}}, image).values<int16_t>(), (std::vector<int16_t>{8192, 16384}));
  EXPECT_EQ(run("brightness", {{"brightness_shift", 1.0}, {"dtype", number(DType::kUInt8)}}, image).values<uint8_t>(),
            (std::vector<uint8_t>{255, 255}));
  const HostTensor floats(Shape{1, 2, 1}, "HWC", std::vector<float>{0, 0.5f});
  EXPECT_EQ(run("contrast", {{"contrast", 3.0}}, floats).values<float>(), (std::vector<float>{-1, 0.5f}));
  EXPECT_EQ(run("contrast", {{"contrast", 3.0}, {"contrast_center", 0.0}}, floats).values<float>(),
            (std::vector<float>{0, 1.5f}));
}

TEST(ColorTwist, NeutralArgumentsChangeNothing) {
  const HostTensor image = test::test_image(9, 77);
  EXPECT_EQ(run("color_twist", {}, image).bytes, image.bytes);
  EXPECT_EQ(run("hsv", {}, image).bytes, image.bytes);
  EXPECT_EQ(run("hue", {{"hue", 360.0}}, image).bytes, image.bytes);
}

TEST(ColorTwist, VectorsEqualTheConversionOfFloats) {
  const HostTensor image = test::test_image(3, 701);  // more than one chunk, and a rest
  const Args args = {{"hue", 40.0}, {"saturation", 1.7}, {"brightness", 1.2}, {"contrast", 0.8}};
  Args to_float = args;
  to_float["dtype"] = number(DType::kFloat);
  const auto bytes = run("color_twist", args, image).values<uint8_t>();
  const auto floats = run("color_twist", to_float, image).values<float>();
  for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], convert_sat<uint8_t>(floats[i])) << i;
}

TEST(ColorTwist, WithoutSaturationAllChannelsAreLuma) {
  const HostTensor image(Shape{1, 1, 3}, "HWC", std::vector<uint8_t>{200, 100, 50});
  const auto gray = run("saturation", {{"saturation", 0.0}}, image).values<uint8_t>();
  for (const uint8_t value : gray) EXPECT_NEAR(value, .299 * 200 + .587 * 100 + .114 * 50, 1);
}

TEST(ColorTwist, HsvGivesBytesWhateverTheInput) {
  const HostTensor image(Shape{1, 1, 3}, "HWC", std::vector<float>{200, 100, 50});
  EXPECT_EQ(run("hsv", {}, image).desc.dtype, DType::kUInt8);
  EXPECT_EQ(run("hue", {}, image).desc.dtype, DType::kFloat);
}

TEST(ColorSpaceConversion, KnownColours) {
  const HostTensor image(Shape{1, 4, 3}, "HWC", std::vector<uint8_t>{255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 255});
  const auto convert = [&](ImageType from, ImageType to) {
    return run("color_space_conversion", {{"image_type", number(from)}, {"output_type", number(to)}}, image)
        .values<uint8_t>();
  };
  EXPECT_EQ(convert(ImageType::kRGB, ImageType::kGray), (std::vector<uint8_t>{255, 0, 76, 29}));
  EXPECT_EQ(convert(ImageType::kBGR, ImageType::kGray), (std::vector<uint8_t>{255, 0, 29, 76}));
  EXPECT_EQ(convert(ImageType::kRGB, ImageType::kBGR),
            (std::vector<uint8_t>{255, 255, 255, 0, 0, 0, 0, 0, 255, 255, 0, 0}));
  EXPECT_EQ(convert(ImageType::kRGB, ImageType::kYCbCr),
            (std::vector<uint8_t>{235, 128, 128, 16, 128, 128, 81, 90, 240, 41, 240, 110}));
}

TEST(ColorSpaceConversion, GrayComesBackFromEverySpace) {
  std::vector<uint8_t> all(256);
  std::iota(all.begin(), all.end(), uint8_t{0});
  const HostTensor gray(Shape{16, 16, 1}, "HWC", all);
  for (const ImageType type : {ImageType::kRGB, ImageType::kBGR, ImageType::kYCbCr}) {
    const HostTensor there =
        run("color_space_conversion", {{"image_type", number(ImageType::kGray)}, {"output_type", number(type)}}, gray);
    const auto back =
        run("color_space_conversion", {{"image_type", number(type)}, {"output_type", number(ImageType::kGray)}}, there)
            .values<uint8_t>();
    for (size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(back[i], all[i], 1);
  }
}

TEST(Pixelwise, WantedRegionsEqualTheCutOfTheWhole) {
  const Args gray = {{"image_type", number(ImageType::kRGB)}, {"output_type", number(ImageType::kGray)}};
  for (const auto& [name, args] : {std::pair<std::string, Args>{"brightness", {{"brightness", 1.5}}},
                                   {"hsv", {{"hue", 30.0}}},
                                   {"color_space_conversion", gray}}) {
    const HostTensor image = test::test_image(20, 50);
    const PlaneRegion part{3, 7, 18, 49};
    RunOp op(ops().at(name), args);
    const HostTensor full = run(name, args, image);
    EXPECT_EQ(op({image}, &part)[0].bytes, test::cut_out(full, part).bytes) << name;
    EXPECT_EQ(op.needed()[0], part);
  }
}

/// Another consumer may have asked for more of the input than this operator wants.
TEST(Pixelwise, InputsMayHoldMoreThanIsWanted) {
  HostTensor image = test::test_image(20, 50);
  const OpSchema& schema = ops().at("brightness");
  const auto op = schema.make({.args = {{"brightness", 1.5}}, .num_inputs = 1});
  Arena arena;
  SampleRunner runner(*op->traits().sample, 1);
  runner.set_arena(&arena);
  Value in{{image.desc, image.bytes.data()}, whole(image.desc), {}}, out;
  runner.add_input(&in);
  runner.add_output(&out);
  runner.infer({});
  const Region part = in_plane({3, 7, 18, 49}, out.tensor);
  runner.wanted(0) = part;
  runner.need();
  HostTensor result(cut(out.tensor, part));
  out.tensor.data = result.bytes.data();
  out.held = part;
  runner.run();
  EXPECT_EQ(result.bytes, test::cut_out(run("brightness", {{"brightness", 1.5}}, image), part).bytes);
}

TEST(Pixelwise, RefusesWhatItCannotDo) {
  EXPECT_THROW(run("hsv", {}, test::test_image(2, 2, 1)), ArgumentError);
  EXPECT_THROW(run("brightness", {}, HostTensor({DType::kUInt16, {2, 2, 3}, "HWC"})), TypeError);
  EXPECT_THROW(ops().at("hsv").make({.args = {{"dtype", number(DType::kInt64)}}}), TypeError);
  const Args from_gray = {{"image_type", number(ImageType::kGray)}, {"output_type", number(ImageType::kRGB)}};
  EXPECT_THROW(run("color_space_conversion", from_gray, test::test_image(2, 2)), ArgumentError);
  EXPECT_THROW(ops().at("color_space_conversion").make({.args = {{"output_type", number(ImageType::kAnyData)}}}),
               ArgumentError);
}

TEST(Pixelwise, EmptyImagesStayEmpty) {
  for (const char* name : {"brightness", "contrast", "hsv", "color_twist", "color_space_conversion"})
    EXPECT_TRUE(run(name, {}, HostTensor({DType::kUInt8, {0, 4, 3}, "HWC"})).bytes.empty()) << name;
}

}  // namespace
}  // namespace penstock
