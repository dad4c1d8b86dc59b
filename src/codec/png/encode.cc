#include "codec/png/encode.h"

#include <algorithm>
#include <bit>
#include <new>

#include <png.h>

#include "codec/escape.h"
#include "core/check.h"

namespace penstock::codec {
namespace {

struct Writer {
  Escape escape;
  std::vector<uint8_t> bytes;
  png_structp state = nullptr;
  png_infop info = nullptr;

  Writer() {
    const auto give_up = [](png_structp png, png_const_charp message) {
      static_cast<Writer*>(png_get_error_ptr(png))->escape.leave(message);
    };
    state = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, give_up, [](png_structp, png_const_charp) {});
    if (state) info = png_create_info_struct(state);
    if (!info) {
      png_destroy_write_struct(&state, nullptr);
      throw std::bad_alloc();
    }
    const auto append = [](png_structp png, png_bytep from, size_t count) {
      Writer& writer = *static_cast<Writer*>(png_get_io_ptr(png));
      if (!writer.append(from, count)) writer.escape.leave("out of memory");
    };
    png_set_write_fn(state, this, append, [](png_structp) {});
  }
  ~Writer() { png_destroy_write_struct(&state, &info); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Called from C, which exceptions must not cross.
  bool append(const uint8_t* from, size_t count) noexcept {
    try {
      bytes.insert(bytes.end(), from, from + count);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

void check(const TensorView& image, int level) {
  constexpr int64_t kMaxExtent = 1'000'000;  // libpng's own limit when reading
  const Shape& shape = image.shape;
  PENSTOCK_CHECK(image.dtype == DType::kUInt8 || image.dtype == DType::kUInt16, TypeError,
                 "PNG stores uint8 and uint16, got {}", name_of(image.dtype));
  PENSTOCK_CHECK(shape.ndim() == 3 && shape[2] >= 1 && shape[2] <= 4, ArgumentError,
                 "PNG wants (height, width, 1 to 4), got {}", to_string(shape));
  PENSTOCK_CHECK(std::min(shape[0], shape[1]) > 0 && std::max(shape[0], shape[1]) <= kMaxExtent, ArgumentError,
                 "PNG files of 1 to {} rows and columns are written, got {}", kMaxExtent, to_string(shape));
  PENSTOCK_CHECK(level >= 0 && level <= 9, ArgumentError, "level must be 0 to 9, got {}", level);
}

void write(Writer& writer, const TensorView& image, int level) {
  constexpr int kColourTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                  PNG_COLOR_TYPE_RGB_ALPHA};
  const bool wide = image.dtype == DType::kUInt16;
  png_set_compression_level(writer.state, level);
  png_set_IHDR(writer.state, writer.info, static_cast<uint32_t>(image.shape[1]), static_cast<uint32_t>(image.shape[0]),
               wide ? 16 : 8, kColourTypes[image.shape[2] - 1], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
               PNG_FILTER_TYPE_BASE);
  png_write_info(writer.state, writer.info);
  if (wide && std::endian::native == std::endian::little) png_set_swap(writer.state);
  const size_t row_bytes = static_cast<size_t>(image.shape[1] * image.shape[2]) * (wide ? 2 : 1);
  for (int64_t y = 0; y < image.shape[0]; ++y)
    png_write_row(writer.state, image.as<uint8_t>() + static_cast<size_t>(y) * row_bytes);
  png_write_end(writer.state, nullptr);
}

}  // namespace

std::vector<uint8_t> encode_png(const TensorView& image, int level) {
  check(image, level);
  Writer writer;
  const bool done = writer.escape.run([&] { write(writer, image, level); });
  PENSTOCK_CHECK(done, ArgumentError, "the picture cannot be written as PNG: {}", writer.escape.message());
  return std::move(writer.bytes);
}

}  // namespace penstock::codec
