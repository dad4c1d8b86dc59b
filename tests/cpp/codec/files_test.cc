// What holds for every picture of every format.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <penstock/error.h>

#include "codec/heif/library.h"
#include "files.h"
#include "pictures.h"

namespace penstock::codec {
namespace {

using enum ImageType;
constexpr ImageType kTypes[] = {kRGB, kBGR, kGray, kYCbCr, kAnyData};

class Files : public testing::TestWithParam<std::string> {
 protected:
  const std::vector<uint8_t> file_ = image_file(GetParam());
  Decoder decoder_;
  std::mt19937 random_{7};

  void SetUp() override {
    if (GetParam().ends_with(".avif") || GetParam().ends_with(".heic")) {
      const std::string& why = heif::Library::get().why;
      if (!why.empty()) GTEST_SKIP() << why;
    }
  }
  int64_t below(int64_t end) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(end)); }

  // Decodes and returns whether that went well. Any exception but DataError goes through to the test.
  bool decodes(std::span<const uint8_t> bytes, ImageType type) {
    try {
      const Request all = whole(peek(bytes), {.type = type});
      if (all.height * all.width > 1 << 20) return false;  // a damaged size; decoding it would only take time
      decode(decoder_, bytes, all);
      return true;
    } catch (const DataError&) {
      return false;
    }
  }
};

TEST_P(Files, PixelsAreTheTruth) {
  const auto truth_file = image_file(GetParam() + ".truth");
  ASSERT_EQ(describe(peek(file_), {}).shape, describe(peek(truth_file), {}).shape);
  const auto truth = decode_whole(decoder_, truth_file), pixels = decode_whole(decoder_, file_);
  // Pillow rounds down where it scales depths and makes RGB of inks otherwise; one step is allowed for that.
  int worst = 0;
  for (size_t i = 0; i < truth.size(); ++i)
    worst = std::max(worst, std::abs(static_cast<int>(truth[i]) - static_cast<int>(pixels[i])));
  EXPECT_LE(worst, 1);
}

TEST_P(Files, RegionsEqualTheCropOfTheWhole) {
  const Info info = peek(file_);
  for (const ImageType type : kTypes)
    for (const DType dtype : {DType::kUInt8, DType::kUInt16, DType::kFloat})
      for (const bool adjust : {true, false}) {
        const Request all = whole(info, {.type = type, .dtype = dtype, .adjust_orientation = adjust});
        const auto pixels = decode(decoder_, file_, all);
        for (int i = 0; i < 12; ++i) {
          Request region = all;
          region.y0 = below(all.height);
          region.x0 = below(all.width);
          region.height = 1 + below(all.height - region.y0);
          region.width = 1 + below(all.width - region.x0);
          ASSERT_EQ(decode(decoder_, file_, region), crop(pixels, describe(info, all), region))
              << "type " << static_cast<int>(type) << ", " << name_of(dtype) << ", y0 " << region.y0 << " x0 "
              << region.x0 << " h " << region.height << " w " << region.width;
        }
      }
}

TEST_P(Files, CutOffFilesAreRefusedOrHoldAllPixels) {
  const auto whole_pixels = decode_whole(decoder_, file_);
  for (size_t length = 0; length < file_.size(); length += 1 + length / 40) {
    const std::span<const uint8_t> cut(file_.data(), length);
    if (decodes(cut, kRGB) && peek(cut).orientation == peek(file_).orientation) {
      // Only what a decoder does not need may be missing: final markers, checksums, metadata.
      ASSERT_EQ(decode_whole(decoder_, cut), whole_pixels) << length << " of " << file_.size() << " bytes";
    }
  }
}

TEST_P(Files, DamagedFilesAreDecodedOrRefused) {
  auto bytes = file_;
  int decoded = 0;
  for (int round = 0; round < 400; ++round) {
    const auto at = static_cast<size_t>(below(static_cast<int64_t>(round % 2 ? bytes.size() : 100)));
    if (at >= bytes.size()) continue;
    bytes[at] ^= static_cast<uint8_t>(1 + below(255));
    decoded += decodes(bytes, kTypes[round % 5]);
    if (round % 4 == 3) bytes = file_;
  }
  EXPECT_LT(decoded, 400);
  EXPECT_TRUE(decodes(file_, kRGB)) << "the decoder is spoilt by the damaged files before";
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '.', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Files, testing::ValuesIn(image_names()), test_name);

}  // namespace
}  // namespace penstock::codec
