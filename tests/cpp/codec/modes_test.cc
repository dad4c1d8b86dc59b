// What holds for every coding mode of a format: a region equals the crop of the whole, and lossless modes lose nothing.
#include "modes.h"

#include <gtest/gtest.h>

#include <random>

#include "codec/engine.h"
#include "pictures.h"

namespace penstock::codec {
namespace {

class Modes : public testing::TestWithParam<Mode> {
 protected:
  Decoder decoder_;
};

TEST_P(Modes, RegionsEqualTheCropOfTheWhole) {
  const auto& file = GetParam().file;
  std::mt19937 random(11);
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
  const Info info = peek(file);
  for (const ImageType type : {ImageType::kRGB, ImageType::kGray, ImageType::kAnyData})
    for (const bool fast_idct : {false, true}) {
      if (fast_idct && info.format->name != "JPEG") continue;
      const Request all = whole(info, {.type = type, .fast_idct = fast_idct});
      const auto pixels = decode(decoder_, file, all);
      for (int i = 0; i < 15; ++i) {
        Request region = all;
        region.y0 = i % 3 == 0 ? 0 : below(all.height);
        region.x0 = i % 5 == 0 ? 0 : below(all.width);
        region.height = i % 7 == 0 ? all.height - region.y0 : 1 + below(all.height - region.y0);
        region.width = i % 4 == 0 ? all.width - region.x0 : 1 + below(std::min<int64_t>(20, all.width - region.x0));
        ASSERT_EQ(decode(decoder_, file, region), crop(pixels, describe(info, all), region))
            << "type " << static_cast<int>(type) << ", fast " << fast_idct << ", y0 " << region.y0 << " x0 "
            << region.x0 << " h " << region.height << " w " << region.width;
      }
    }
}

class LosslessModes : public Modes {};

TEST_P(LosslessModes, LoseNothing) {
  const auto pixels = decode_whole(decoder_, GetParam().file);
  ASSERT_EQ(pixels.size(), GetParam().truth.size());
  for (size_t i = 0; i < pixels.size(); ++i)
    ASSERT_EQ(static_cast<int>(pixels[i]), GetParam().truth[i]) << "value " << i;
}

/// Those of which it is known what comes out.
std::vector<Mode> lossless(std::vector<Mode> modes) {
  std::erase_if(modes, [](const Mode& mode) { return mode.truth.empty(); });
  return modes;
}

std::string name_of_mode(const testing::TestParamInfo<Mode>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Webp, Modes, testing::ValuesIn(webp_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Webp, LosslessModes, testing::ValuesIn(lossless(webp_modes())), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Tiff, Modes, testing::ValuesIn(tiff_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Tiff, LosslessModes, testing::ValuesIn(lossless(tiff_modes())), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Png, Modes, testing::ValuesIn(png_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Jpeg, Modes, testing::ValuesIn(jpeg_modes()), name_of_mode);

}  // namespace

void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }  // not the file's bytes

}  // namespace penstock::codec
