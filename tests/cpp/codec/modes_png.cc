#include <png.h>

#include <fmt/format.h>

#include "modes.h"

namespace penstock::codec {
namespace {

constexpr uint32_t kHeight = 21, kWidth = 37;

std::vector<uint8_t> encode(int depth, int colour_type, bool interlaced) {
  std::vector<uint8_t> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  const auto append = [](png_structp state, png_bytep from, size_t count) {
    auto& bytes = *static_cast<std::vector<uint8_t>*>(png_get_io_ptr(state));
    bytes.insert(bytes.end(), from, from + count);
  };
  png_set_write_fn(png, &file, append, [](png_structp) {});
  png_set_IHDR(png, info, kWidth, kHeight, depth, colour_type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_BASE, PNG_FILTER_TYPE_BASE);
  if (colour_type == PNG_COLOR_TYPE_PALETTE) {
    std::vector<png_color> palette(size_t{1} << depth);
    for (size_t i = 0; i < palette.size(); ++i)
      palette[i] = {static_cast<uint8_t>(i * 7), static_cast<uint8_t>(255 - i), static_cast<uint8_t>(i * 3)};
    png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  }
  png_write_info(png, info);
  const size_t row_bytes = png_get_rowbytes(png, info);
  std::vector<uint8_t> pixels(row_bytes * kHeight);
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<uint8_t>(i * 29 + i / row_bytes * 3);
  std::vector<png_bytep> rows;
  for (size_t y = 0; y < kHeight; ++y) rows.push_back(&pixels[y * row_bytes]);
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace

std::vector<Mode> png_modes() {
  std::vector<Mode> modes;
  const std::vector<std::pair<int, std::vector<int>>> types{{PNG_COLOR_TYPE_GRAY, {1, 2, 4, 8, 16}},
                                                            {PNG_COLOR_TYPE_PALETTE, {1, 2, 4, 8}},
                                                            {PNG_COLOR_TYPE_RGB, {8, 16}},
                                                            {PNG_COLOR_TYPE_GRAY_ALPHA, {8, 16}},
                                                            {PNG_COLOR_TYPE_RGB_ALPHA, {8, 16}}};
  for (const auto& [type, depths] : types)
    for (const int depth : depths)
      for (const bool interlaced : {false, true})
        modes.push_back({fmt::format("type_{}_depth_{}{}", type, depth, interlaced ? "_interlaced" : ""),
                         encode(depth, type, interlaced)});
  return modes;
}

}  // namespace penstock::codec
