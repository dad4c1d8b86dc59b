#include "codec/jpeg/encode.h"

#include <cstdlib>

#include "codec/jpeg/turbo/guard.h"
#include "core/check.h"

namespace penstock::codec {
namespace {

void check(const TensorView& image, const JpegOptions& options) {
  const Shape& shape = image.shape;
  const auto is_factor = [](int f) { return f == 1 || f == 2 || f == 4; };
  PENSTOCK_CHECK(image.dtype == DType::kUInt8, TypeError, "JPEG stores uint8, got {}", name_of(image.dtype));
  PENSTOCK_CHECK(shape.ndim() == 3 && (shape[2] == 1 || shape[2] == 3), ArgumentError,
                 "JPEG wants (height, width, 1 or 3), got {}", to_string(shape));
  PENSTOCK_CHECK(shape[0] > 0 && shape[1] > 0 && shape[0] <= JPEG_MAX_DIMENSION && shape[1] <= JPEG_MAX_DIMENSION,
                 ArgumentError, "JPEG holds 1 to {} rows and columns, got {}", JPEG_MAX_DIMENSION, to_string(shape));
  PENSTOCK_CHECK(options.quality >= 1 && options.quality <= 100, ArgumentError, "quality must be 1 to 100, got {}",
                 options.quality);
  PENSTOCK_CHECK(is_factor(options.subsampling.horizontal) && is_factor(options.subsampling.vertical), ArgumentError,
                 "subsampling must be 1, 2 or 4 each way, got {} x {}", options.subsampling.horizontal,
                 options.subsampling.vertical);
}

// The compressor and the bytes it has made so far; libjpeg allocates them with malloc.
struct Writer {
  jpeg::Guard guard;
  jpeg_compress_struct state{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  Writer() {
    state.err = guard.manager();
    if (!guard.run([this] { jpeg_create_compress(&state); })) throw std::bad_alloc();
  }
  ~Writer() {
    jpeg_destroy_compress(&state);
    std::free(bytes);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
};

void write(Writer& writer, const TensorView& image, const JpegOptions& options) {
  jpeg_compress_struct& state = writer.state;
  const size_t channels = static_cast<size_t>(image.shape[2]);
  jpeg_mem_dest(&state, &writer.bytes, &writer.size);
  state.image_height = static_cast<JDIMENSION>(image.shape[0]);
  state.image_width = static_cast<JDIMENSION>(image.shape[1]);
  state.input_components = static_cast<int>(channels);
  state.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, options.quality, TRUE);
  if (channels == 3) {
    state.comp_info[0].h_samp_factor = options.subsampling.horizontal;
    state.comp_info[0].v_samp_factor = options.subsampling.vertical;
  }
  if (options.progressive) jpeg_simple_progression(&state);
  jpeg_start_compress(&state, TRUE);
  while (state.next_scanline < state.image_height) {
    JSAMPROW row = image.as<uint8_t>() + state.next_scanline * state.image_width * channels;
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
}

}  // namespace

std::vector<uint8_t> encode_jpeg(const TensorView& image, const JpegOptions& options) {
  check(image, options);
  Writer writer;
  const bool done = writer.guard.run([&] { write(writer, image, options); });
  PENSTOCK_CHECK(done, ArgumentError, "the picture cannot be written as JPEG: {}", writer.guard.message());
  return {writer.bytes, writer.bytes + writer.size};
}

}  // namespace penstock::codec
