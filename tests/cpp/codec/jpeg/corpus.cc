#include "corpus.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
// jpeglib.h needs size_t and FILE declared.
#include <jpeglib.h>

#include <fmt/format.h>

#include "codec/jpeg/jpeg.h"
#include "codec/jpeg/sequential.h"
#include "codec/jpeg/turbo/turbo.h"

namespace penstock::codec::jpeg {
namespace {

int channels_of(Stored stored) {
  return stored == Stored::kGray ? 1 : stored == Stored::kCmyk || stored == Stored::kYcck ? 4 : 3;
}

std::vector<uint8_t> make_pixels(const Coding& coding) {
  const int channels = channels_of(coding.stored);
  std::mt19937 random(coding.seed);
  std::vector<uint8_t> pixels;
  const auto noisy = static_cast<uint32_t>(coding.noise * 1000);
  for (int y = 0; y < coding.height; ++y)
    for (int x = 0; x < coding.width; ++x)
      for (int c = 0; c < channels; ++c) {
        const int smooth = (c + 2) * x + (5 - c) * y + ((x / 7 + y / 5 + c) % 3) * 60;
        pixels.push_back(static_cast<uint8_t>(random() % 1000 < noisy ? random() : static_cast<uint32_t>(smooth)));
      }
  return pixels;
}

J_COLOR_SPACE space_of(Stored stored) {
  constexpr J_COLOR_SPACE kSpaces[] = {JCS_GRAYSCALE, JCS_YCbCr, JCS_RGB, JCS_CMYK, JCS_YCCK};
  return kSpaces[static_cast<size_t>(stored)];
}

size_t pixel_bytes(const Info& info, ImageType type) { return make_engine()->samples(info, type).pixel_bytes(); }

}  // namespace

std::string Coding::text() const {
  std::string said = fmt::format("{}x{} stored {} factors", height, width, static_cast<int>(stored));
  for (const auto& f : factors) said += fmt::format(" {}x{}", f[0], f[1]);
  return said +
         fmt::format(
             " quality {} restart {} optimised {} wide {} noise {} progressive {} arithmetic {} one scan each {}",
             quality, restart_interval, optimised, wide_tables, noise, progressive, arithmetic, one_scan_each);
}

std::vector<uint8_t> encode(const Coding& coding) {
  jpeg_compress_struct state;
  jpeg_error_mgr errors;
  state.err = jpeg_std_error(&errors);
  errors.emit_message = [](j_common_ptr, int) {};  // coarse tables are meant
  jpeg_create_compress(&state);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &bytes, &size);
  const int channels = channels_of(coding.stored);
  state.image_height = static_cast<JDIMENSION>(coding.height);
  state.image_width = static_cast<JDIMENSION>(coding.width);
  state.input_components = channels;
  state.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&state);
  jpeg_set_colorspace(&state, space_of(coding.stored));
  jpeg_set_quality(&state, coding.quality, coding.wide_tables ? FALSE : TRUE);
  for (int c = 0; c < channels; ++c) {
    state.comp_info[c].h_samp_factor = coding.factors[static_cast<size_t>(c)][0];
    state.comp_info[c].v_samp_factor = coding.factors[static_cast<size_t>(c)][1];
  }
  state.restart_interval = static_cast<unsigned>(coding.restart_interval);
  state.optimize_coding = coding.optimised ? TRUE : FALSE;
  if (coding.progressive) jpeg_simple_progression(&state);
  state.arith_code = coding.arithmetic ? TRUE : FALSE;
  std::array<jpeg_scan_info, 4> scans{};
  for (int c = 0; c < channels; ++c) scans[static_cast<size_t>(c)] = {1, {c}, 0, DCTSIZE2 - 1, 0, 0};
  if (coding.one_scan_each) {
    state.scan_info = scans.data();
    state.num_scans = channels;
  }
  jpeg_start_compress(&state, TRUE);
  std::vector<uint8_t> pixels = make_pixels(coding);
  while (state.next_scanline < state.image_height) {
    JSAMPROW row = pixels.data() + state.next_scanline * state.image_width * static_cast<size_t>(channels);
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  std::vector<uint8_t> file(bytes, bytes + size);
  jpeg_destroy_compress(&state);
  std::free(bytes);
  return file;
}

// Both write into memory of the exact size, so that the address sanitizer sees what is written beyond.
std::optional<Pixels> own_decode(std::span<const uint8_t> file, ImageType type, const Region& region) {
  static SequentialDecoder decoder;  // serves all files, as in a worker: no file may show in the next
  const Info info = peek(file);
  Pixels out(static_cast<size_t>(region.height * region.width) * pixel_bytes(info, type));
  if (!decoder.decode(file, info, type, region, out.data())) return std::nullopt;
  return out;
}

Pixels turbo_decode(std::span<const uint8_t> file, ImageType type, const Region& region) {
  static TurboDecoder decoder;
  const Info info = peek(file);
  Pixels out(static_cast<size_t>(region.height * region.width) * pixel_bytes(info, type));
  decoder.decode(file, info, {.type = type}, region, out.data());
  return out;
}

Region whole_of(std::span<const uint8_t> file) {
  const Info info = peek(file);
  return {0, 0, info.height, info.width};
}

Pixels crop_of(const Pixels& whole, const Region& all, const Region& region) {
  const size_t pixel = whole.size() / static_cast<size_t>(all.height * all.width);
  const size_t row = static_cast<size_t>(region.width) * pixel;
  Pixels out(static_cast<size_t>(region.height) * row);
  for (int64_t y = 0; y < region.height; ++y)
    std::memcpy(out.data() + static_cast<size_t>(y) * row,
                whole.data() + static_cast<size_t>((region.y0 + y) * all.width + region.x0) * pixel, row);
  return out;
}

}  // namespace penstock::codec::jpeg
