// What holds for every coding mode of a format: a region equals the crop of the whole, and lossless modes lose nothing.
#include "modes.h"

#include <gtest/gtest.h>

#include <algorithm>
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

class AnimatedModes : public Modes {};

TEST_P(AnimatedModes, RegionsOfAllFramesEqualTheCropOfTheWhole) {
  const auto& file = GetParam().file;
  const Info info = peek(file);
  const Request first = whole(info, {.type = ImageType::kAnyData});
  Request all = first;
  all.all_frames = true;
  const Shape shape = describe(info, all).shape;
  ASSERT_EQ(shape, (Shape{info.frames, info.height, info.width, info.channels}));
  const auto decoded = [&](const Request& request) {
    std::vector<std::byte> out(static_cast<size_t>(info.frames * request.height * request.width * info.channels));
    decoder_.decode(file, info, request, out.data());
    return out;
  };
  const auto frames = decoded(all);
  const auto one = decode(decoder_, file, first);
  const size_t frame_bytes = one.size();
  EXPECT_TRUE(std::equal(one.begin(), one.end(), frames.begin())) << "the first of all is not the first";
  Request region = all;
  region.y0 = 5, region.x0 = 3, region.height = 17, region.width = 22;
  const auto cut = decoded(region);
  for (int64_t i = 0; i < info.frames; ++i) {
    const auto begin = frames.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(i) * frame_bytes);
    const auto expected =
        crop(std::vector<std::byte>(begin, begin + static_cast<ptrdiff_t>(frame_bytes)), describe(info, first), region);
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(),
                           cut.begin() + static_cast<ptrdiff_t>(static_cast<size_t>(i) * expected.size())))
        << "frame " << i;
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
INSTANTIATE_TEST_SUITE_P(Jpeg2000, Modes, testing::ValuesIn(jpeg2000_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Jpeg2000, LosslessModes, testing::ValuesIn(lossless(jpeg2000_modes())), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Gif, AnimatedModes, testing::ValuesIn(gif_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Gif, Modes, testing::ValuesIn(gif_modes()), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Gif, LosslessModes, testing::ValuesIn(lossless(gif_modes())), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Jpeg, Modes, testing::ValuesIn(jpeg_modes()), name_of_mode);

}  // namespace

void PrintTo(const Mode& mode, std::ostream* out) { *out << mode.name; }  // not the file's bytes

}  // namespace penstock::codec
