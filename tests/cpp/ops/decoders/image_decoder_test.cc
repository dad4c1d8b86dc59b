#include <gtest/gtest.h>

#include "../run_op.h"
#include "codec/jpeg/encode.h"

namespace penstock {

void register_decoders_image(Registry& r);
void register_decoders_image_crop(Registry& r);
void register_decoders_image_slice(Registry& r);
void register_decoders_image_random_crop(Registry& r);
void register_peek_image_shape(Registry& r);

namespace {

using test::HostTensor;
using test::RunOp;

constexpr int64_t kHeight = 40, kWidth = 56;

HostTensor bytes_of(const std::vector<uint8_t>& file) {
  return HostTensor({static_cast<int64_t>(file.size())}, {}, file);
}

HostTensor jpeg() {
  HostTensor image = test::test_image(kHeight, kWidth);
  return bytes_of(codec::encode_jpeg({image.desc, image.bytes.data()}, {.quality = 90}));
}

class ImageDecoderTest : public ::testing::Test {
 protected:
  ImageDecoderTest() {
    register_decoders_image(registry_);
    register_decoders_image_crop(registry_);
    register_decoders_image_slice(registry_);
    register_decoders_image_random_crop(registry_);
    register_peek_image_shape(registry_);
  }
  HostTensor run(const std::string& name, std::map<std::string, ArgValue> args = {},
                 const PlaneRegion* wanted = nullptr) {
    return RunOp(registry_.at(name), std::move(args))({jpeg()}, wanted)[0];
  }
  template <class E>
  std::string failure(const std::string& name, std::map<std::string, ArgValue> args, HostTensor input) {
    return test::message_of<E>([&] { RunOp(registry_.at(name), std::move(args))({std::move(input)}); });
  }
  Registry registry_;
};

TEST_F(ImageDecoderTest, WantedRegionEqualsTheCutOfTheWhole) {
  const HostTensor full = run("decoders.image");
  EXPECT_EQ(full.desc, (TensorDesc{DType::kUInt8, {kHeight, kWidth, 3}, "HWC"}));
  const PlaneRegion part{3, 5, 20, 41};
  EXPECT_EQ(run("decoders.image", {}, &part).bytes, test::cut_out(full, part).bytes);
  const PlaneRegion nothing{7, 7, 7, 7};
  EXPECT_TRUE(run("decoders.image", {}, &nothing).bytes.empty());
}

TEST_F(ImageDecoderTest, WindowsEqualTheCutOfTheWhole) {
  const HostTensor full = run("decoders.image");
  const HostTensor crop = run("decoders.image_crop", {{"crop", std::vector<double>{11, 13}}});
  EXPECT_EQ(crop.desc.shape, (Shape{11, 13, 3}));
  EXPECT_EQ(crop.bytes, test::cut_out(full, {15, 22, 26, 35}).bytes);
  const HostTensor slice = run("decoders.image_slice", {{"rel_start", std::vector<double>{0.25, 0.5}},
                                                        {"rel_shape", std::vector<double>{0.5, 0.25}}});
  EXPECT_EQ(slice.bytes, test::cut_out(full, {20, 14, 30, 42}).bytes);
}

TEST_F(ImageDecoderTest, AWantedPartOfAWindowIsCountedInTheWindow) {
  const HostTensor crop = run("decoders.image_crop", {{"crop", std::vector<double>{11, 13}}});
  const PlaneRegion part{2, 3, 9, 10};
  EXPECT_EQ(run("decoders.image_crop", {{"crop", std::vector<double>{11, 13}}}, &part).bytes,
            test::cut_out(crop, part).bytes);
}

TEST_F(ImageDecoderTest, RandomWindowsFollowTheSeedAlone) {
  const OpSchema& schema = registry_.at("decoders.image_random_crop");
  EXPECT_TRUE(schema.random);
  const auto sample = [&](uint64_t seed, uint64_t index) {
    return RunOp(schema, {}, {}, seed)({jpeg()}, nullptr, {.sample = index})[0].desc.shape;
  };
  EXPECT_EQ(sample(1, 0), sample(1, 0));
  int different = 0;
  for (uint64_t i = 1; i < 6; ++i) different += !(sample(1, i) == sample(1, 0));
  EXPECT_GE(different, 4);
}

TEST_F(ImageDecoderTest, WindowsOutsideThePictureAreRefused) {
  EXPECT_NE(failure<DataError>("decoders.image_crop", {{"crop", std::vector<double>{10, 100}}}, jpeg())
                .find("The cropping window [15..25, -22..78] is not valid for image dimensions [40 x 56]"),
            std::string::npos);
  EXPECT_NE(failure<DataError>("decoders.image_slice",
                               {{"start", std::vector<int64_t>{50, 0}}, {"shape", std::vector<int64_t>{7, 1}}}, jpeg())
                .find("[0..1, 50..57] is not valid"),
            std::string::npos);
}

TEST_F(ImageDecoderTest, WhatIsNoPictureSaysSo) {
  EXPECT_EQ(failure<DataError>("decoders.image", {}, bytes_of({1})).find("Failed to decode: "), 0u);
  EXPECT_EQ(failure<DataError>("decoders.image", {}, bytes_of({})).find("Failed to decode: "), 0u);
  HostTensor cut_off = jpeg();
  cut_off.desc.shape[0] = 100;
  EXPECT_EQ(failure<DataError>("decoders.image", {}, cut_off).find("Failed to decode: "), 0u);
  EXPECT_NE(failure<TypeError>("decoders.image", {}, test::test_image(2, 2)).find("flat uint8 array"),
            std::string::npos);
}

TEST_F(ImageDecoderTest, ImpossibleOutputsAreRefusedWhenThePipelineIsBuilt) {
  const OpSchema& schema = registry_.at("decoders.image");
  EXPECT_THROW(schema.make({.args = {{"dtype", static_cast<int64_t>(DType::kInt64)}}}), ArgumentError);
  EXPECT_THROW(schema.make({.args = {{"output_type", int64_t{7}}}}), ArgumentError);
  EXPECT_THROW(registry_.at("decoders.image_crop").make({.args = {{"crop_h", 7.0}}}), ArgumentError);
}

TEST_F(ImageDecoderTest, PeekGivesTheShapeThatDecodingWillGive) {
  EXPECT_EQ(run("peek_image_shape").values<int64_t>(), (std::vector<int64_t>{kHeight, kWidth, 3}));
  EXPECT_EQ(run("peek_image_shape", {{"dtype", static_cast<int64_t>(DType::kFloat)},
                                     {"image_type", static_cast<int64_t>(ImageType::kGray)}})
                .values<float>(),
            (std::vector<float>{kHeight, kWidth, 1}));
  EXPECT_THROW(registry_.at("peek_image_shape").make({.args = {{"dtype", static_cast<int64_t>(DType::kInt8)}}}),
               ArgumentError);
}

TEST_F(ImageDecoderTest, OlderNamesStillFindThem) {
  for (const char* name : {"image_decoder", "image_decoder_crop", "image_decoder_slice", "image_decoder_random_crop",
                           "experimental.decoders.image", "experimental.peek_image_shape"})
    EXPECT_NO_THROW(registry_.at(name)) << name;
}

}  // namespace
}  // namespace penstock
