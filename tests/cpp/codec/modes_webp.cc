#include <webp/encode.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modes.h"

namespace penstock::codec {
namespace {

constexpr int kHeight = 64, kWidth = 61;

// Alpha has few values, so that it is coded with a palette: libwebp has a way of its own for that.
std::vector<uint8_t> rgba(bool few_values) {
  std::vector<uint8_t> pixels;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const int value :
           {4 * x, 4 * y, 90 + (x * y) % 50, few_values ? x * 4 + y * 2 : (x * x * 31 + y * 57) % 251})
        pixels.push_back(static_cast<uint8_t>(value));
  return pixels;
}

std::vector<uint8_t> encode(const WebPConfig& config, const std::vector<uint8_t>& pixels, bool alpha) {
  WebPPicture picture;
  WebPPictureInit(&picture);
  picture.width = kWidth;
  picture.height = kHeight;
  picture.use_argb = 1;
  (alpha ? WebPPictureImportRGBA : WebPPictureImportRGBX)(&picture, pixels.data(), kWidth * 4);
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  picture.writer = WebPMemoryWrite;
  picture.custom_ptr = &writer;
  EXPECT_TRUE(WebPEncode(&config, &picture)) << picture.error_code;
  const std::vector<uint8_t> file(writer.mem, writer.mem + writer.size);
  WebPMemoryWriterClear(&writer);
  WebPPictureFree(&picture);
  return file;
}

}  // namespace

std::vector<Mode> webp_modes() {
  std::vector<Mode> modes;
  WebPConfig config;
  WebPConfigInit(&config);
  config.quality = 70;
  config.method = 2;
  config.exact = 1;
  modes.push_back({"lossy", encode(config, rgba(true), false)});
  for (config.filter_strength = 0; config.filter_strength <= 100; config.filter_strength += 50)
    modes.push_back({fmt::format("lossy_deblocked_{}", config.filter_strength), encode(config, rgba(true), false)});
  config.filter_strength = 60;
  for (config.alpha_filtering = 0; config.alpha_filtering <= 2; ++config.alpha_filtering)
    for (config.alpha_compression = 0; config.alpha_compression <= 1; ++config.alpha_compression)
      for (const int quality : {100, 40})
        for (const bool few : {true, false}) {
          config.alpha_quality = quality;
          modes.push_back({fmt::format("alpha_filter_{}_compression_{}_quality_{}_{}", config.alpha_filtering,
                                       config.alpha_compression, quality, few ? "few" : "many"),
                           encode(config, rgba(few), true)});
        }
  config.lossless = 1;
  for (const bool alpha : {false, true}) {
    std::vector<uint8_t> truth = rgba(false);
    for (size_t i = 0; i < truth.size() / 4; ++i) std::copy_n(&truth[i * 4], 3, &truth[i * 3]);
    truth.resize(truth.size() / 4 * 3);
    modes.push_back({alpha ? "lossless_alpha" : "lossless", encode(config, rgba(false), alpha), truth});
  }
  return modes;
}

}  // namespace penstock::codec
