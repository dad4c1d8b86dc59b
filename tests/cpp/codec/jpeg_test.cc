#include <gtest/gtest.h>

#include <random>

#include <penstock/error.h>

#include "codec/jpeg/encode.h"
#include "pictures.h"

namespace penstock::codec {
namespace {

constexpr Subsampling kAllSubsamplings[] = {{1, 1}, {2, 1}, {1, 2}, {2, 2}, {4, 1}, {1, 4}, {4, 2}, {2, 4}};

TEST(Jpeg, RegionsEqualTheCropOfTheWhole) {
  Decoder decoder;
  std::mt19937 random(1);
  for (const Subsampling& subsampling : kAllSubsamplings)
    for (const bool progressive : {false, true})
      for (const auto& [height, width] : {std::pair<int64_t, int64_t>{97, 131}, {64, 64}, {17, 200}}) {
        const Picture picture = make_picture(height, width, 3);
        const auto file =
            encode_jpeg(picture.view, {.quality = 85, .subsampling = subsampling, .progressive = progressive});
        const Info info = peek(file);
        const Request all = whole(info, {});
        const auto pixels = decode(decoder, file, all);
        for (int i = 0; i < 120; ++i) {
          Request region = all;
          region.y0 = static_cast<int64_t>(random() % static_cast<uint32_t>(height));
          region.x0 = static_cast<int64_t>(random() % static_cast<uint32_t>(width));
          region.height = 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(height - region.y0));
          region.width = 1 + static_cast<int64_t>(random() % static_cast<uint32_t>(width - region.x0));
          ASSERT_EQ(decode(decoder, file, region), crop(pixels, describe(info, all), region))
              << subsampling.horizontal << "x" << subsampling.vertical << " progressive " << progressive << " of "
              << height << "x" << width << ": y0 " << region.y0 << " x0 " << region.x0 << " h " << region.height
              << " w " << region.width;
        }
      }
}

}  // namespace
}  // namespace penstock::codec
