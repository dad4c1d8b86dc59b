#include "codec/jpeg/turbo/turbo.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "codec/jpeg/colour.h"

#include "core/check.h"

// Of libjpeg-turbo 3; weak, so that what was built beside version 2 uses version 3 where it finds it.
extern "C" {
[[gnu::weak]] JDIMENSION jpeg12_read_scanlines(j_decompress_ptr state, short** rows, JDIMENSION count);
[[gnu::weak]] JDIMENSION jpeg16_read_scanlines(j_decompress_ptr state, unsigned short** rows, JDIMENSION count);
}

namespace penstock::codec::jpeg {
namespace {

// Rows a call of libjpeg; it delivers as many as it has at hand, two at most for common files.
constexpr JDIMENSION kRowsACall = 4;

// Tables of past pictures stay in the decompressor's memory until it is destroyed, a few KB a picture. Making a new one
// costs 0.4 us, which is 10 % of decoding a 28 x 28 digit.
constexpr int kPicturesAReader = 64;

J_COLOR_SPACE colour_space(int components, ImageType type) {
  if (components == 4) return JCS_CMYK;
  switch (type) {
    case ImageType::kGray:
      return JCS_GRAYSCALE;
    case ImageType::kBGR:
      return JCS_EXT_BGR;
    case ImageType::kAnyData:
      return components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    case ImageType::kRGB:
    case ImageType::kYCbCr:
      break;
  }
  return JCS_RGB;
}

// Lossless files keep their colours: libjpeg-turbo converts none of them.
J_COLOR_SPACE stored_space(J_COLOR_SPACE space, bool lossless) {
  if (space == JCS_YCbCr && !lossless) return JCS_RGB;
  return space == JCS_YCCK && !lossless ? JCS_CMYK : space;
}

// True where libjpeg smooths blocks: in progressive files whose last scans are missing.
bool is_smoothed(const jpeg_decompress_struct& state) {
  if (!state.coef_bits) return false;
  const int* first = state.coef_bits[0];
  return std::any_of(first, first + state.num_components * DCTSIZE2, [](int missing) { return missing != 0; });
}

}  // namespace

// What the rows of one picture go through. Holds views only: libjpeg's errors jump over it.
struct TurboDecoder::Rows {
  const Region& region;
  bool to_rgb;              // from CMYK
  uint8_t* out;             // dense rows of the region
  std::span<uint8_t> kept;  // room for kRowsACall rows as libjpeg makes them
};

void TurboDecoder::start(const Info& info, const Request& request) {
  jpeg_decompress_struct& state = reader_->state();
  jpeg_read_header(&state, TRUE);
  if (state.image_height != info.height || state.image_width != info.width || state.num_components != info.channels)
    Guard::give_up(reinterpret_cast<j_common_ptr>(&state), kOtherHeader);
  state.out_color_space = turbo_delivers_colours(info) ? colour_space(state.num_components, request.type)
                                                       : stored_space(state.jpeg_color_space, info.lossless);
  state.dct_method = request.fast_idct ? JDCT_IFAST : JDCT_ISLOW;
  jpeg_start_decompress(&state);
}

// Reads the region's rows. Chroma is interpolated between neighbours, and libjpeg treats the edge of what it decodes as
// the edge of the picture: one more column of chroma is decoded at each side and thrown away. So does
// smoothing with blocks: its rows are decoded whole. Above and below it looks at all that there is.
void TurboDecoder::read(const Rows& rows) {
  jpeg_decompress_struct& state = reader_->state();
  const Region& region = rows.region;
  const int64_t margin = is_smoothed(state) ? state.output_width : state.max_h_samp_factor;
  JDIMENSION left = static_cast<JDIMENSION>(std::max<int64_t>(region.x0 - margin, 0));
  JDIMENSION width =
      static_cast<JDIMENSION>(std::min<int64_t>(region.x0 + region.width + margin, state.output_width) - left);
  if (width < state.output_width) jpeg_crop_scanline(&state, &left, &width);
  if (region.y0 > 0) jpeg_skip_scanlines(&state, static_cast<JDIMENSION>(region.y0));

  const size_t made_row = static_cast<size_t>(width) * state.output_components;
  const size_t skipped = (static_cast<size_t>(region.x0) - left) * state.output_components;
  const size_t out_row = static_cast<size_t>(region.width) * (rows.to_rgb ? 3 : state.output_components);
  const bool direct = made_row == out_row && !rows.to_rgb;
  uint8_t* out = rows.out;
  const JDIMENSION end = static_cast<JDIMENSION>(region.y0 + region.height);
  while (state.output_scanline < end) {
    std::array<JSAMPROW, kRowsACall> targets;
    for (JDIMENSION i = 0; i < kRowsACall; ++i)
      targets[i] = direct ? out + i * out_row : rows.kept.data() + i * made_row;
    const JDIMENSION wanted = std::min(kRowsACall, end - state.output_scanline);
    const JDIMENSION got = jpeg_read_scanlines(&state, targets.data(), wanted);
    for (JDIMENSION i = 0; i < got && !direct; ++i) {
      if (rows.to_rgb)
        cmyk_to_rgb(targets[i] + skipped, static_cast<size_t>(region.width), state.saw_Adobe_marker, out + i * out_row);
      else
        std::memcpy(out + i * out_row, targets[i] + skipped, out_row);
    }
    out += got * out_row;
  }
}

// Rows of files of more than 8 bits, or without a transform: libjpeg-turbo neither crops nor skips all of these.
template <class Sample>
void TurboDecoder::read_deep(const Rows& rows, unsigned (*read)(jpeg_decompress_struct*, Sample**, unsigned)) {
  jpeg_decompress_struct& state = reader_->state();
  const Region& region = rows.region;
  const auto channels = static_cast<size_t>(state.output_components);
  const size_t out_row = static_cast<size_t>(region.width) * channels * sizeof(Sample);
  auto* kept = reinterpret_cast<Sample*>(rows.kept.data());
  uint8_t* out = rows.out;
  while (state.output_scanline < static_cast<JDIMENSION>(region.y0 + region.height)) {
    const int64_t y = state.output_scanline;
    if (read(&state, &kept, 1) == 0 || y < region.y0) continue;
    std::memcpy(out, kept + static_cast<size_t>(region.x0) * channels, out_row);
    out += out_row;
  }
}

bool turbo_reads_deep_files() { return jpeg12_read_scanlines != nullptr && jpeg16_read_scanlines != nullptr; }

void TurboDecoder::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request,
                          const Region& region, uint8_t* out) {
  if (pictures_++ % kPicturesAReader == 0) reader_ = std::make_unique<Reader>();
  PENSTOCK_CHECK(info.lossless || info.bits == 8 || info.bits == 12, DataError,
                 "JPEG of {} bits a sample is not supported; 8 and 12 are, and 2 to 16 without loss", info.bits);
  const bool deep = !turbo_delivers_colours(info);
  PENSTOCK_CHECK(
      !deep || turbo_reads_deep_files(), DataError,
      "{}JPEG of {} bits a sample needs libjpeg-turbo 3, and an older one is installed (penstock doctor says "
      "what the libraries here lack)",
      info.lossless ? "lossless " : "", info.bits);
  kept_.resize(kRowsACall * static_cast<size_t>(info.width) * 4);
  const bool to_rgb = info.cmyk && request.type != ImageType::kAnyData;
  const Rows rows{region, to_rgb, out, kept_};
  reader_->take(bytes);
  reader_->run([&] {
    start(info, request);
    if (!deep)
      read(rows);
    else if (info.bits <= 8)
      read_deep<JSAMPLE>(rows, jpeg_read_scanlines);
    else if (info.bits <= 12)
      read_deep<short>(rows, jpeg12_read_scanlines);
    else
      read_deep<unsigned short>(rows, jpeg16_read_scanlines);
  });
}

}  // namespace penstock::codec::jpeg
