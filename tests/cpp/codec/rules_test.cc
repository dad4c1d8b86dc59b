// Channels, colour, depth and element types: the rules that all formats share. Expected values are DALI 2.4's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include <penstock/error.h>

#include "codec/jpeg/turbo/turbo.h"
#include "codec/orientation.h"
#include "codec/png/encode.h"
#include "files.h"
#include "pictures.h"
#include "tiff_file.h"

namespace penstock::codec {
namespace {

using enum ImageType;

// One pixel of a file, as T.
template <class T>
std::vector<T> pixel_of(std::span<const uint8_t> file, ImageType type) {
  Decoder decoder;
  const auto bytes = decode_whole(decoder, file, {.type = type, .dtype = dtype_of<T>});
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

std::vector<uint8_t> one_pixel(std::vector<uint8_t> values) {
  Picture picture(1, 1, static_cast<int64_t>(values.size()));
  std::ranges::copy(values, picture.data.begin());
  return encode_png(picture.view);
}

std::vector<uint8_t> text(std::string_view s) { return {s.begin(), s.end()}; }

TEST(Rules, ColoursOfAnRgbPixel) {
  const auto file = one_pixel({200, 101, 33});
  EXPECT_EQ(pixel_of<uint8_t>(file, kRGB), (std::vector<uint8_t>{200, 101, 33}));
  EXPECT_EQ(pixel_of<uint8_t>(file, kBGR), (std::vector<uint8_t>{33, 101, 200}));
  EXPECT_EQ(pixel_of<uint8_t>(file, kGray), (std::vector<uint8_t>{123}));
  EXPECT_EQ(pixel_of<uint8_t>(file, kYCbCr), (std::vector<uint8_t>{122, 83, 176}));
  EXPECT_EQ(pixel_of<uint16_t>(file, kYCbCr), (std::vector<uint16_t>{31211, 21321, 45191}));
  const auto ycbcr = pixel_of<float>(file, kYCbCr);
  EXPECT_NEAR(ycbcr[0], 0.47624749, 1e-6);
  EXPECT_NEAR(ycbcr[1], 0.32533044, 1e-6);
  EXPECT_NEAR(ycbcr[2], 0.68956637, 1e-6);
}

TEST(Rules, FullRangeBecomesFullRange) {
  const auto file = one_pixel({0, 151, 255});
  EXPECT_EQ(pixel_of<uint16_t>(file, kRGB), (std::vector<uint16_t>{0, 38807, 65535}));
  EXPECT_EQ(pixel_of<uint32_t>(file, kRGB), (std::vector<uint32_t>{0, 2543294359u, 4294967295u}));
  EXPECT_EQ(pixel_of<int8_t>(file, kRGB), (std::vector<int8_t>{0, 75, 127}));
  EXPECT_EQ(pixel_of<int16_t>(file, kRGB), (std::vector<int16_t>{0, 19403, 32767}));
  EXPECT_EQ(pixel_of<int32_t>(file, kRGB), (std::vector<int32_t>{0, 1271647179, 2147483647}));
  EXPECT_EQ(pixel_of<float>(file, kRGB), (std::vector<float>{0, 151 / 255.f, 1}));
}

TEST(Rules, OneChannelIsSpreadAndAlphaIsDropped) {
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({9}), kRGB), (std::vector<uint8_t>{9, 9, 9}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({200}), kYCbCr), (std::vector<uint8_t>{188, 128, 128}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({9, 77}), kBGR), (std::vector<uint8_t>{9, 9, 9}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({9, 77}), kGray), (std::vector<uint8_t>{9}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({9, 77}), kAnyData), (std::vector<uint8_t>{9, 77}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({200, 101, 33, 77}), kRGB), (std::vector<uint8_t>{200, 101, 33}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({200, 101, 33, 77}), kGray), (std::vector<uint8_t>{123}));
  EXPECT_EQ(pixel_of<uint8_t>(one_pixel({200, 101, 33, 77}), kAnyData), (std::vector<uint8_t>{200, 101, 33, 77}));
}

TEST(Rules, SixteenBitsKeepTheirDepth) {
  const auto file = text(std::string_view("P6 1 1 65535\n\xC8\xD5\x65\x72\x21\x2E", 19));
  EXPECT_EQ(peek(file).bits, 16);
  EXPECT_EQ(pixel_of<uint16_t>(file, kRGB), (std::vector<uint16_t>{51413, 25970, 8494}));
  EXPECT_EQ(pixel_of<uint8_t>(file, kRGB), (std::vector<uint8_t>{200, 101, 33}));
  EXPECT_EQ(pixel_of<uint16_t>(file, kGray), (std::vector<uint16_t>{31585}));
  EXPECT_NEAR(pixel_of<float>(file, kGray)[0], 0.48195621, 1e-6);
}

TEST(Rules, AFloat16PixelIsBetweenZeroAndOne) {
  Decoder decoder;
  const auto bytes = decode_whole(decoder, one_pixel({255}), {.type = kGray, .dtype = DType::kFloat16});
  float16 value;
  std::memcpy(&value, bytes.data(), sizeof value);
  EXPECT_EQ(static_cast<float>(value), 1.f);
}

TEST(Rules, ChromaOfATiffFileMayBeSubsampled) {
  constexpr uint8_t kGray = 128, kHigh = 200;
  // Blocks of 2 x 2: luma, then chroma. The picture ends within the last ones.
  const std::vector<uint8_t> strip{10, 20, 30, 40, kGray, kGray, 50, 0, 60, 0, kGray, kGray,
                                   70, 80, 0,  0,  kGray, kHigh, 90, 0, 0,  0, kGray, kGray};
  const auto file =
      tiff_file({.height = 3, .width = 3, .samples = 3, .photometric = 6, .subsampling = {2, 2}, .strip = strip});
  Decoder decoder;
  const auto pixels = decode_whole(decoder, file, {.type = kAnyData});
  const std::vector<uint8_t> luma{10, 20, 50, 30, 40, 60, 70, 80, 90};
  for (size_t i = 0; i < luma.size(); ++i) {
    const bool red = i == 6 || i == 7;
    EXPECT_NEAR(static_cast<int>(pixels[3 * i]), luma[i] + (red ? 101 : 0), 1) << i;
    EXPECT_NEAR(static_cast<int>(pixels[3 * i + 2]), luma[i], 1) << i;
  }
  const auto corner = decode(decoder, file, {.y0 = 2, .x0 = 1, .height = 1, .width = 2});
  EXPECT_TRUE(std::ranges::equal(corner, std::span(pixels).subspan(21)));
}

TEST(Rules, UnsupportedDtypeNamesTheSupportedOnes) {
  Decoder decoder;
  try {
    decode_whole(decoder, one_pixel({255}), {.dtype = DType::kInt64});
    FAIL();
  } catch (const TypeError& error) {
    EXPECT_NE(std::string(error.what()).find("int64 is not supported here; use one of uint8"), std::string::npos);
  }
}

TEST(Rules, ChannelsOfStoredPictures) {
  const auto channels = [](const char* name) { return peek(image_file(name)).channels; };
  EXPECT_EQ(channels("rgb.bmp"), 3);
  EXPECT_EQ(channels("gray.bmp"), 1);  // a palette of grays
  EXPECT_EQ(channels("palette.bmp"), 3);
  EXPECT_EQ(channels("raw.pbm"), 1);
  EXPECT_EQ(channels("rgba.png"), 4);
  EXPECT_EQ(channels("palette_transparent.png"), 3);  // DALI does not count tRNS
  EXPECT_EQ(channels("six_channels.tif"), 6);
  EXPECT_EQ(channels("palette.tif"), 3);
  EXPECT_EQ(channels("cmyk.jpg"), 4);
  EXPECT_EQ(channels("alpha_lossy.webp"), 4);
  EXPECT_EQ(channels("lossy.webp"), 3);
}

TEST(Rules, OrientationSwapsTheExtents) {
  const Info info = peek(image_file("orientation_6.jpg"));
  EXPECT_EQ(describe(info, {}).shape, (Shape{43, 37, 3}));
  EXPECT_EQ(describe(info, {.adjust_orientation = false}).shape, (Shape{37, 43, 3}));
  EXPECT_EQ(describe(info, {.type = kGray}).shape, (Shape{43, 37, 1}));
}

TEST(Rules, OrientationIsReadInAnyWidth) {
  const auto exif = [](bool little, uint8_t type) {
    std::vector<uint8_t> block = text(std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\0\0\x01\0\0\0\0\0\0\0", 22));
    if (!little) block = text(std::string_view("MM\0*\0\0\0\x08\0\x01\x01\x12\0\0\0\0\0\x01\0\0\0\0", 22));
    block[little ? 12 : 13] = type;
    const int width = type == 1 ? 1 : type == 3 ? 2 : 4;
    block[static_cast<size_t>(little ? 18 : 17 + width)] = 6;
    return exif_orientation(block);
  };
  for (const bool little : {true, false}) {
    for (const uint8_t type : {1, 3, 4}) EXPECT_EQ(exif(little, type), 6) << int{type};
    EXPECT_EQ(exif(little, 5), 1);  // a fraction
  }
}

TEST(Rules, WindowOutsideThePictureIsRefused) {
  Decoder decoder;
  const auto file = image_file("rgb.png");
  std::vector<std::byte> out(1);
  for (const Request& region :
       {Request{.y0 = 30, .x0 = 0, .height = 8, .width = 5}, Request{.y0 = 0, .x0 = -1, .height = 8, .width = 5},
        Request{.y0 = 0, .x0 = 0, .height = INT64_MAX, .width = INT64_MAX}})
    EXPECT_THROW(decoder.decode(file, peek(file), region, out.data()), DataError);
  try {
    decoder.decode(file, peek(file), {.y0 = 30, .x0 = 2, .height = 8, .width = 5}, out.data());
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "The cropping window [30..38, 2..7] is not valid for image dimensions [37x43]");
  }
}

TEST(Rules, UnknownBytesAreShown) {
  try {
    peek(text("hello"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("5 bytes that begin with 68 65 6c 6c 6f"), std::string::npos);
  }
  EXPECT_THROW(peek({}), DataError);
}

TEST(Rules, GiantsAreRefusedByTheirHeader) {
  try {
    peek(text("P5 60000 60000 255\n"));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(
        error.what(),
        "PNM: the header says 60000 x 60000 pixels (height x width); pictures above 268435456 pixels are refused");
  }
}

TEST(Rules, GiantsOfManyChannelsAreRefusedByTheirHeader) {
  const TiffFile giant{.height = 16384, .width = 16384, .bits = 8, .samples = 9, .photometric = 2};
  try {
    peek(tiff_file(giant));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(
        error.what(),
        "TIFF: the header says 16384 x 16384 pixels (height x width) of 9 channels; pictures above 2147483648 bytes "
        "are refused");
  }
}

TEST(Rules, BombsAreRefusedByTheirHeader) {
  auto file = image_file("rgb.png");
  file[18] = file[22] = 0x20;  // 8192 more pixels each way, still below the limit
  try {
    peek(file);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("more than " + std::to_string(file.size()) + " bytes can hold"),
              std::string::npos)
        << error.what();
  }
}

TEST(Rules, TiffFilesThatPromiseMoreThanTheyHoldAreRefusedByTheirHeader) {
  const auto file = tiff_file({.height = 8192, .width = 8192, .samples = 3, .photometric = 2, .strip = {1, 2, 3}});
  try {
    peek(file);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()),
              fmt::format("TIFF: the header says 8192 x 8192 pixels (height x width), more than {} "
                          "bytes can hold",
                          file.size()));
  }
}

TEST(Rules, FormatsThatAreNotReadAreNamed) {
  const auto said = [](std::string_view bytes) -> std::string {
    try {
      peek(text(bytes));
    } catch (const DataError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(said("qoif\1\0\1\0"),
            "QOI, which Penstock does not read; it reads BMP, GIF, AVIF/HEIF, JPEG, JPEG 2000, PNG, PNM, TIFF, WebP");
  EXPECT_TRUE(said(std::string_view("\0\0\0\x0CJXL \r\n\x87\n", 12)).starts_with("JPEG XL, which"));
  EXPECT_TRUE(said("<!DOCTYPE html>").starts_with("HTML, which"));
  EXPECT_TRUE(said(std::string_view("\0\0\2\0\1\0", 6)).starts_with("CUR, which"));
  EXPECT_TRUE(said("\xFF\xD8\1\2").starts_with("a damaged JPEG (after its beginning comes no marker), which"));
  const std::string tga("\0\0\2\0\0\0\0\0\0\0\0\0\4\0\3\0\x18\x20", 18);
  EXPECT_TRUE(said(tga + std::string(36, 'x')).starts_with("TGA, which"));
  EXPECT_TRUE(said(std::string("\5\2\7", 3) + std::string(40, 'x') + std::string("TRUEVISION-XFILE.\0", 18))
                  .starts_with("TGA, which"));
  for (const size_t at : {1, 2, 12, 14, 16}) {  // kind of palette, kind, width, height, depth
    std::string other = tga + std::string(36, 'x');
    other[at] = at == 12 || at == 14 ? 0 : 7;
    EXPECT_FALSE(said(other).starts_with("TGA")) << at;
  }
  EXPECT_TRUE(said("version https://git-lfs.github.com/spec/v1").starts_with("a pointer of Git LFS, which"));
}

TEST(Rules, ErrorsInAFileSayItsFormat) {
  Decoder decoder;
  for (const std::string name :
       {"gray.png", "gray.bmp", "baseline.jpg", "lzw.tif", "lossy.webp", "highest_100.pgm", "rgb.jp2", "palette.gif"}) {
    const std::vector<uint8_t> file = image_file(name);
    const Info info = peek(file);
    for (const size_t length : {file.size() / 2, size_t{20}}) {
      const std::span<const uint8_t> cut(file.data(), length);
      try {
        decode(decoder, cut, whole(peek(cut), {}));
        FAIL() << name << " was decoded from " << length << " bytes";
      } catch (const DataError& error) {
        EXPECT_NE(error.message().find(info.format->name), std::string::npos) << name << ": " << error.message();
      }
    }
  }
}

TEST(Rules, ErrorsInTiffFilesSayTheModeAndTheRow) {
  const std::vector<uint8_t> bytes = tiff_file({.strip = {1, 2, 3}, .compression = 5});
  Decoder decoder;
  try {
    decode(decoder, bytes, whole(peek(bytes), {}));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(error.message().starts_with("TIFF compressed with LZW: ")) << error.message();
    EXPECT_NE(error.message().find(", at row 1 of "), std::string::npos) << error.message();
  }
}

TEST(Rules, WhatLibtiffLeavesOutIsNotBlamed) {
  // A count of rows in a strip is no orientation: libtiff reports the field, ignores it and goes on.
  std::vector<uint8_t> bytes = tiff_file({.height = 9, .rows_in_strip = 9, .strip = {1, 2, 3}, .compression = 5});
  const std::vector<uint8_t> rows{0x16, 1}, orientation{0x12, 1};
  const auto field = std::search(bytes.begin(), bytes.end(), rows.begin(), rows.end());
  ASSERT_NE(field, bytes.end());
  std::copy(orientation.begin(), orientation.end(), field);
  Decoder decoder;
  try {
    decode(decoder, bytes, whole(peek(bytes), {}));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_EQ(error.message().find("Orientation"), std::string::npos) << error.message();
  }
}

TEST(Rules, TiffFilesThatAreNotReadAreRefusedByName) {
  const auto said = [](const TiffFile& file) -> std::string {
    try {
      peek(tiff_file(file));
    } catch (const DataError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(said({.samples = 3, .photometric = 8, .strip = {1, 2, 3}}),
            "TIFF in CIE L*a*b* (photometric interpretation 8) is not supported");
  EXPECT_EQ(said({.bits = 24, .strip = {1, 2, 3}}), "TIFF with 24 bits a sample is not supported; 1 to 16 and 32 are");
  const std::string compressed = said({.strip = {1}, .compression = 34712});
  EXPECT_TRUE(compressed.starts_with("TIFF compressed with JPEG 2000 (scheme 34712), which LIBTIFF")) << compressed;
}

TEST(Rules, PillowsGrayOfSixteenBitsIsClipped) {
  Decoder decoder;
  const auto file = text(std::string_view("P5 3 1 65535\n\x00\x07\x00\xFF\x12\x34", 19));
  const auto pixels = decode_whole(decoder, file, {.rules = Rules::kPillow});
  const std::vector<int> expected{7, 7, 7, 255, 255, 255, 255, 255, 255};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(static_cast<int>(pixels[i]), expected[i]) << i;
}

// Shared libraries may be replaced after the build: an old libjpeg-turbo must be told, not crashed into.
TEST(Rules, LosslessJpegIsDecodedOrRefusedByName) {
  Decoder decoder;
  for (const char* name : {"lossless_8.jpg", "lossless_16.jpg", "bits_12.jpg"}) {
    const auto file = read_file(image_folder().parent_path() / "turbo_3" / name);
    if (jpeg::turbo_reads_deep_files()) {
      const Info info = peek(file);
      const auto pixels = decode_whole(decoder, file, {.type = kAnyData, .dtype = DType::kUInt16});
      EXPECT_EQ(pixels.size(), static_cast<size_t>(info.height * info.width * info.channels) * 2);
      const Request part{.type = kAnyData, .dtype = DType::kUInt16, .y0 = 3, .x0 = 2, .height = 5, .width = 7};
      EXPECT_EQ(decode(decoder, file, part), crop(pixels, describe(info, part), part)) << name;
      continue;
    }
    try {
      decode_whole(decoder, file);
      FAIL() << name;
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("needs libjpeg-turbo 3"), std::string::npos) << error.what();
    }
  }
}

TEST(Rules, AnotherFilesHeaderIsNoticed) {
  Decoder decoder;
  for (const char* name :
       {"baseline.jpg", "rgb.png", "rgb.bmp", "raw.ppm", "rgb.tif", "lossy.webp", "rgb.jp2", "palette.gif"}) {
    const auto file = image_file(name);
    Info info = peek(file);
    info.height += 20;
    const Request all = whole(info, {});
    std::vector<std::byte> out(static_cast<size_t>(all.height * all.width * 3));
    EXPECT_THROW(decoder.decode(file, info, all, out.data()), DataError) << name;
  }
}

}  // namespace
}  // namespace penstock::codec
