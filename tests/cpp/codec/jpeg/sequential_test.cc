// Our own decoder against libjpeg-turbo: equal, bit for bit, for every kind of file that it takes.
#include "codec/jpeg/sequential.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include <penstock/error.h>

#include "../files.h"
#include "core/instruction_sets.h"
#include "corpus.h"

namespace penstock::codec::jpeg {
namespace {

constexpr ImageType kTypes[] = {ImageType::kRGB, ImageType::kBGR, ImageType::kGray, ImageType::kAnyData};

Factors luma(int h, int v) { return {{{h, v}, {1, 1}, {1, 1}, {h, v}}}; }

// What cameras and editors write, and what only the standard allows: chroma of two kinds, chroma finer than luma, and
// factors of three.
std::vector<Factors> all_factors() {
  std::vector<Factors> all;
  for (int h = 1; h <= 4; ++h)
    for (int v = 1; v <= 4; ++v)
      if (h * v <= 8) all.push_back(luma(h, v));
  all.push_back({{{2, 2}, {2, 1}, {1, 2}, {1, 1}}});
  all.push_back({{{1, 1}, {2, 2}, {1, 2}, {1, 1}}});
  all.push_back({{{2, 1}, {1, 1}, {2, 2}, {1, 1}}});
  all.push_back({{{4, 2}, {1, 1}, {1, 1}, {1, 1}}});
  all.push_back({{{2, 2}, {2, 2}, {1, 1}, {1, 1}}});
  all.push_back({{{1, 2}, {1, 4}, {1, 2}, {1, 1}}});
  return all;
}

// Whole, in all types, and some regions.
void expect_equal(const std::vector<uint8_t>& file, const std::string& what, std::mt19937& random, int regions) {
  const Region all = whole_of(file);
  for (const ImageType type : kTypes) {
    const Pixels expected = turbo_decode(file, type, all);
    const auto got = own_decode(file, type, all);
    if (!got) {  // colour space RGB to gray is left to libjpeg-turbo
      ASSERT_TRUE(type == ImageType::kGray && what.find("stored 2") != std::string::npos) << what;
      continue;
    }
    ASSERT_EQ(*got, expected) << what << " type " << static_cast<int>(type);
    for (int i = 0; i < regions; ++i) {
      const Region region = random_region(random, all);
      const auto part = own_decode(file, type, region);
      ASSERT_TRUE(part) << what;
      ASSERT_EQ(*part, crop_of(expected, all, region))
          << what << " type " << static_cast<int>(type) << " y0 " << region.y0 << " x0 " << region.x0 << " h "
          << region.height << " w " << region.width;
    }
  }
}

void expect_equal(const Coding& coding, std::mt19937& random, int regions = 3) {
  expect_equal(encode(coding), coding.text(), random, regions);
}

TEST(SequentialJpeg, EverySubsamplingAndColourEqualsLibjpeg) {
  std::mt19937 random(1);
  for (const Factors& factors : all_factors())
    for (const Stored stored : {Stored::kYCbCr, Stored::kRgb, Stored::kCmyk, Stored::kYcck}) {
      int blocks = 0;
      for (size_t c = 0; c < (stored < Stored::kCmyk ? 3 : 4); ++c) blocks += factors[c][0] * factors[c][1];
      if (blocks > 10) continue;
      for (const auto& [height, width] : {std::pair{67, 45}, {16, 16}, {1, 1}, {5, 3}, {100, 257}})
        expect_equal({.height = height,
                      .width = width,
                      .stored = stored,
                      .factors = factors,
                      .restart_interval = static_cast<int>(random() % 3),
                      .optimised = random() % 2 == 0,
                      .noise = static_cast<double>(random() % 3) / 4},
                     random);
    }
}

TEST(SequentialJpeg, EverySizeEqualsLibjpeg) {
  std::mt19937 random(2);
  for (int height = 1; height <= 67; height += height < 20 ? 1 : 5)
    for (int width = 1; width <= 45; width += width < 20 ? 1 : 3) {
      const int factor = 1 + static_cast<int>(random() % 2);
      expect_equal({.height = height, .width = width, .factors = luma(2, factor), .noise = .1}, random, 1);
      expect_equal({.height = height, .width = width, .stored = Stored::kGray, .noise = .1}, random, 1);
    }
}

TEST(SequentialJpeg, EveryQualityEqualsLibjpeg) {
  std::mt19937 random(3);
  for (int quality = 1; quality <= 100; ++quality)
    for (const bool wide : {false, true})
      for (const double noise : {0., .02, 1.})
        expect_equal({.height = 45,
                      .width = 67,
                      .factors = luma(1 + quality % 2, 1),
                      .quality = quality,
                      .optimised = quality % 3 == 0,
                      .wide_tables = wide,
                      .noise = noise,
                      .seed = static_cast<unsigned>(quality)},
                     random, 1);
}

TEST(SequentialJpeg, EveryRestartIntervalEqualsLibjpeg) {
  std::mt19937 random(4);
  for (int interval = 1; interval <= 70; ++interval)
    expect_equal({.height = 97, .width = 131, .factors = luma(2, 2), .restart_interval = interval, .noise = .2}, random,
                 20);
}

TEST(SequentialJpeg, ManyRegionsEqualTheCropOfTheWhole) {
  std::mt19937 random(5);
  for (const Factors& factors : all_factors())
    expect_equal({.height = 199, .width = 333, .factors = factors, .noise = .1}, random, 60);
}

TEST(SequentialJpeg, EveryInstructionSetEqualsLibjpeg) {
  test::with_every_instruction_set([] {
    std::mt19937 random(6);
    for (const auto& [h, v] : {std::pair{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}})
      for (const int quality : {5, 60, 98})
        expect_equal({.height = 83, .width = 141, .factors = luma(h, v), .quality = quality, .noise = .1}, random, 5);
  });
}

// Coefficients that overflow 16 bits when they are dequantised, as no encoder makes them.
TEST(SequentialJpeg, OverflowingCoefficientsEqualLibjpeg) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    auto file = encode({.height = 64,
                        .width = 200,
                        .quality = round % 2 == 0 ? 100 : 97,
                        .noise = round % 4 == 0 ? 0. : .5,
                        .seed = static_cast<unsigned>(round)});
    for (size_t i = 0; i + 70 < file.size(); ++i)
      if (file[i] == 0xFF && file[i + 1] == 0xDB && file[i + 3] == 67)
        for (size_t k = 0; k < 64; ++k)
          if (round < 20 || k % 3 == 0) file[i + 5 + k] = static_cast<uint8_t>(random());
    expect_equal(file, "overflow " + std::to_string(round), random, 2);
  }
}

// Headers that equal those before are not read again.
TEST(SequentialJpeg, HeadersOfThePictureBeforeServeOnlyTheSame) {
  std::mt19937 random(9);
  const Coding coding{.height = 28, .width = 28, .stored = Stored::kGray};
  Coding other_pixels = coding, other_tables = coding, other_codes = coding, other_size = coding;
  other_pixels.seed = 2;
  other_tables.quality = 50;
  other_codes.optimised = true;
  other_size.width = 20;
  for (const Coding& one : {coding, other_pixels, other_tables, coding, other_codes, coding, other_size, other_pixels})
    expect_equal(one, random, 1);
  auto cut = encode(coding);
  cut.resize(100);  // within the header
  EXPECT_THROW(own_decode(cut, ImageType::kGray, {0, 0, 28, 28}), DataError);
}

TEST(SequentialJpeg, OtherFilesAreLeftToLibjpeg) {
  const auto progressive = encode({.progressive = true});
  EXPECT_FALSE(own_decode(progressive, ImageType::kRGB, whole_of(progressive)));
  // Factors of three and two: libjpeg refuses them, except for gray.
  auto odd = encode({.height = 30, .width = 30, .factors = luma(3, 1)});
  for (size_t i = 0; i + 14 < odd.size(); ++i)
    if (odd[i] == 0xFF && odd[i + 1] == 0xC0) odd[i + 14] = 0x21;
  EXPECT_FALSE(own_decode(odd, ImageType::kRGB, whole_of(odd)));
}

TEST(SequentialJpeg, PhotographsEqualLibjpeg) {
  const char* given = std::getenv("PENSTOCK_SHARED");
  const std::filesystem::path shared =
      given != nullptr ? std::filesystem::path(given) : tests_folder() / "../../shared";
  if (!std::filesystem::exists(shared / "data" / "photos")) GTEST_SKIP() << "no photographs in " << shared;
  std::mt19937 random(8);
  int sequential = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared / "data")) {
    if (entry.path().extension() != ".jpg") continue;
    const auto file = read_file(entry.path());
    const Region all = whole_of(file);
    const auto got = own_decode(file, ImageType::kRGB, all);
    if (!got) continue;  // progressive
    ++sequential;
    const Pixels expected = turbo_decode(file, ImageType::kRGB, all);
    ASSERT_TRUE(*got == expected) << entry.path();
    for (int i = 0; i < 3; ++i) {
      const Region region = random_region(random, all);
      ASSERT_TRUE(own_decode(file, ImageType::kRGB, region) == crop_of(expected, all, region)) << entry.path();
    }
  }
  EXPECT_GT(sequential, 10);
}

}  // namespace
}  // namespace penstock::codec::jpeg
