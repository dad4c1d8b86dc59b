#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include <penstock/error.h>

#include "codec/jpeg/encode.h"
#include "files.h"
#include "pictures.h"

namespace penstock::codec {
namespace {

constexpr Subsampling kAllSubsamplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};

// Regions of a file, as many as asked for.
void expect_crops(Decoder& decoder, std::span<const uint8_t> file, std::mt19937& random, int regions,
                  const std::string& what) {
  const Info info = peek(file);
  const Request all = whole(info, {});
  const auto pixels = decode(decoder, file, all);
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
  for (int i = 0; i < regions; ++i) {
    Request region = all;
    region.y0 = below(all.height);
    region.x0 = below(all.width);
    region.height = 1 + below(all.height - region.y0);
    region.width = 1 + below(all.width - region.x0);
    ASSERT_EQ(decode(decoder, file, region), crop(pixels, describe(info, all), region))
        << what << " of " << all.height << "x" << all.width << ": y0 " << region.y0 << " x0 " << region.x0 << " h "
        << region.height << " w " << region.width;
  }
}

TEST(Jpeg, RegionsEqualTheCropOfTheWhole) {
  Decoder decoder;
  std::mt19937 random(1);
  for (const Subsampling& subsampling : kAllSubsamplings)
    for (const bool progressive : {false, true})
      for (const auto& [height, width] : {std::pair<int64_t, int64_t>{97, 131}, {64, 64}, {17, 200}}) {
        const Picture picture = make_picture(height, width, 3);
        const auto file =
            encode_jpeg(picture.view, {.quality = 85, .subsampling = subsampling, .progressive = progressive});
        expect_crops(decoder, file, random, 120,
                     fmt::format("{}x{} progressive {}", subsampling.horizontal, subsampling.vertical, progressive));
      }
}

// Progressive files that end after each of their scans but the last.
std::vector<std::vector<uint8_t>> without_last_scans(const std::vector<uint8_t>& file) {
  std::vector<std::vector<uint8_t>> files;
  size_t scans = 0;
  for (size_t i = 0; i + 1 < file.size(); ++i) {
    if (file[i] != 0xFF || file[i + 1] != 0xDA || scans++ == 0) continue;
    files.emplace_back(file.begin(), file.begin() + static_cast<ptrdiff_t>(i));
    files.back().insert(files.back().end(), {0xFF, 0xD9});
  }
  return files;
}

TEST(Jpeg, MissingScansAreSmoothedOver) {
  Picture slope(24, 24, 1);
  for (size_t i = 0; i < slope.data.size(); ++i) slope.data[i] = static_cast<uint8_t>(10 * (i % 24));
  Decoder decoder;
  const auto pixels = decode_whole(decoder, without_last_scans(encode_jpeg(slope.view, {.progressive = true}))[0],
                                   {.type = ImageType::kGray});
  for (size_t x = 9; x < 16; ++x) EXPECT_GT(pixels[8 * 24 + x], pixels[8 * 24 + x - 1]) << x;  // one block
}

TEST(Jpeg, RegionsOfSmoothedPicturesEqualTheCropOfTheWhole) {
  Decoder decoder;
  std::mt19937 random(2);
  for (const Subsampling& subsampling : kAllSubsamplings)
    for (const auto& [height, width] : {std::pair<int64_t, int64_t>{97, 131}, {17, 200}}) {
      const auto file =
          encode_jpeg(make_picture(height, width, 3).view, {.subsampling = subsampling, .progressive = true});
      for (const auto& shorter : without_last_scans(file))
        expect_crops(decoder, shorter, random, 30, fmt::format("{} bytes", shorter.size()));
    }
}

// Runs the decode and returns what it complains about.
std::string complaint(Decoder& decoder, std::span<const uint8_t> file) {
  try {
    decode_whole(decoder, file);
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(Jpeg, CutOffFilesSayWhere) {
  Decoder decoder;
  auto file = encode_jpeg(make_picture(97, 131, 3).view);
  file.resize(file.size() / 2);
  const std::string said = complaint(decoder, file);
  EXPECT_NE(said.find("the file is cut off, after "), std::string::npos) << said;
  EXPECT_NE(said.find(" of 97 rows"), std::string::npos) << said;
}

TEST(Jpeg, TablesOfOnePictureDoNotServeTheNext) {
  Decoder decoder;
  const auto file = encode_jpeg(make_picture(16, 16, 3).view);
  decode_whole(decoder, file);
  auto without = file;  // the quantisation tables become a comment
  for (size_t i = 0; i + 1 < without.size(); ++i)
    if (without[i] == 0xFF && without[i + 1] == 0xDB) without[i + 1] = 0xFE;
  EXPECT_NE(complaint(decoder, without).find("Quantization table"), std::string::npos) << complaint(decoder, without);
}

TEST(Jpeg, TooManyScansAreRefused) {
  const auto file = encode_jpeg(make_picture(16, 16, 1).view, {.progressive = true});
  // The last scan, repeated, is one more refinement each time.
  size_t last = 0;
  for (size_t i = 0; i + 1 < file.size(); ++i)
    if (file[i] == 0xFF && file[i + 1] == 0xDA) last = i;
  const std::vector<uint8_t> scan(file.begin() + static_cast<ptrdiff_t>(last), file.end() - 2);
  std::vector<uint8_t> many(file.begin(), file.end() - 2);
  for (int i = 0; i < 300; ++i) many.insert(many.end(), scan.begin(), scan.end());
  many.insert(many.end(), {0xFF, 0xD9});
  Decoder decoder;
  EXPECT_NE(complaint(decoder, many).find("too many scans"), std::string::npos) << complaint(decoder, many);
}

TEST(Jpeg, UnsupportedDepthIsNamed) {
  auto file = encode_jpeg(make_picture(16, 16, 3).view);
  for (size_t i = 0; i + 4 < file.size(); ++i)
    if (file[i] == 0xFF && file[i + 1] == 0xC0) file[i + 4] = 10;
  Decoder decoder;
  EXPECT_EQ(peek(file).bits, 10);
  EXPECT_NE(complaint(decoder, file).find("JPEG of 10 bits a sample is not supported"), std::string::npos)
      << complaint(decoder, file);
}

TEST(Jpeg, AHeaderOfManyPixelsAndFewBytesIsRefused) {
  auto file = encode_jpeg(make_picture(16, 16, 3).view);
  for (size_t i = 0; i + 8 < file.size(); ++i)
    if (file[i] == 0xFF && file[i + 1] == 0xC0) file[i + 5] = file[i + 7] = 0x3F;  // 16 more than 16128 each way
  EXPECT_THROW(peek(file), DataError);
}

TEST(Jpeg, GrayIsTheStoredLuma) {
  const Picture gray = make_picture(33, 29, 1);
  Picture colour(33, 29, 3);
  for (size_t i = 0; i < gray.data.size(); ++i)
    for (size_t c = 0; c < 3; ++c) colour.data[i * 3 + c] = gray.data[i];
  Decoder decoder;
  const JpegOptions options{.quality = 80};
  EXPECT_EQ(decode_whole(decoder, encode_jpeg(colour.view, options), {.type = ImageType::kGray}),
            decode_whole(decoder, encode_jpeg(gray.view, options), {.type = ImageType::kGray}));
}

TEST(Jpeg, FastTransformIsNear) {
  Decoder decoder;
  const auto file = encode_jpeg(make_picture(64, 64, 3).view);
  const auto exact = decode_whole(decoder, file), fast = decode_whole(decoder, file, {.fast_idct = true});
  int64_t sum = 0;
  for (size_t i = 0; i < exact.size(); ++i) sum += std::abs(static_cast<int>(exact[i]) - static_cast<int>(fast[i]));
  EXPECT_LT(sum, 3 * static_cast<int64_t>(exact.size()));  // DALI's tolerance
}

}  // namespace
}  // namespace penstock::codec
