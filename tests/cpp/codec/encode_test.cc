#include <gtest/gtest.h>

#include <penstock/error.h>

#include "codec/jpeg/encode.h"
#include "codec/png/encode.h"
#include "pictures.h"

namespace penstock::codec {
namespace {

std::vector<std::byte> bytes_of(const TensorView& view) { return {view.data, view.data + view.nbytes()}; }

TEST(EncodePng, PixelsComeBack) {
  Decoder decoder;
  for (const DType dtype : {DType::kUInt8, DType::kUInt16})
    for (int64_t channels = 1; channels <= 4; ++channels) {
      Picture picture = make_picture(19, 23, channels * static_cast<int64_t>(size_of(dtype)));
      picture.view.dtype = dtype;
      picture.view.shape[2] = channels;
      const auto file = encode_png(picture.view);
      EXPECT_EQ(peek(file).channels, channels);
      EXPECT_EQ(decode_whole(decoder, file, {.type = ImageType::kAnyData, .dtype = dtype}), bytes_of(picture.view))
          << name_of(dtype) << " x " << channels;
    }
}

TEST(EncodeJpeg, HighQualityIsNear) {
  Decoder decoder;
  Picture picture(64, 48, 3);
  for (size_t i = 0; i < picture.data.size(); ++i) picture.data[i] = static_cast<uint8_t>(i / 3 / 48 + i % 144 / 3);
  const auto file = encode_jpeg(picture.view, {.quality = 100, .subsampling = {1, 1}});
  const auto pixels = decode_whole(decoder, file);
  for (size_t i = 0; i < pixels.size(); ++i)
    ASSERT_NEAR(static_cast<int>(pixels[i]), picture.data[i], 3) << "at byte " << i;
}

TEST(Encode, WrongArgumentsAreRefused) {
  Picture two = make_picture(4, 4, 2), none(0, 4, 3);
  EXPECT_THROW(encode_jpeg(two.view), ArgumentError);
  EXPECT_THROW(encode_jpeg(none.view), ArgumentError);
  EXPECT_THROW(encode_png(none.view), ArgumentError);
  EXPECT_THROW(encode_jpeg(make_picture(4, 4, 3).view, {.quality = 0}), ArgumentError);
  EXPECT_THROW(encode_jpeg(make_picture(4, 4, 3).view, {.subsampling = {3, 1}}), ArgumentError);
  EXPECT_THROW(encode_png(make_picture(4, 4, 3).view, 10), ArgumentError);
  TensorView floats = two.view;
  floats.dtype = DType::kFloat;
  EXPECT_THROW(encode_png(floats), TypeError);
  EXPECT_THROW(encode_jpeg(floats), TypeError);
}

}  // namespace
}  // namespace penstock::codec
