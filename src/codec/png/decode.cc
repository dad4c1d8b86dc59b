#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include <png.h>

#include "codec/escape.h"
#include "codec/png/png.h"
#include "codec/scratch.h"
#include "core/check.h"

namespace penstock::codec::png {
namespace {

// libpng's reader of one file. It cannot be used for a second one.
struct Reader {
  Escape escape;
  std::span<const uint8_t> rest;
  png_structp state = nullptr;
  png_infop info = nullptr;
  uint32_t rows_done = 0;

  explicit Reader(std::span<const uint8_t> bytes) : rest(bytes) {
    const auto give_up = [](png_structp png, png_const_charp message) {
      static_cast<Reader*>(png_get_error_ptr(png))->escape.leave(message);
    };
    const auto ignore = [](png_structp, png_const_charp) {};
    state = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, give_up, ignore);
    if (state) info = png_create_info_struct(state);
    if (!info) {
      png_destroy_read_struct(&state, nullptr, nullptr);
      throw std::bad_alloc();
    }
    png_set_read_fn(state, this, [](png_structp png, png_bytep to, size_t count) {
      Reader& reader = *static_cast<Reader*>(png_get_io_ptr(png));
      if (count > reader.rest.size()) reader.escape.leave("the file is cut off");
      std::memcpy(to, reader.rest.data(), count);
      reader.rest = reader.rest.subspan(count);
    });
  }
  ~Reader() { png_destroy_read_struct(&state, &info, nullptr); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
};

class PngEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override {
    return {.channels = info.channels, .bits = info.bits > 8 ? 16 : 8};
  }
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              std::byte* out) override;

 private:
  std::vector<uint8_t> kept_;
};

// Reads the header and asks for samples of 8 or 16 bits in the machine's order, without palette and transparency.
void start(Reader& reader, const Info& info, size_t pixel_bytes) {
  png_structp png = reader.state;
  // Colour profiles and texts are not used; reading them costs time and opens doors.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_read_info(png, reader.info);
  if (png_get_color_type(png, reader.info) == PNG_COLOR_TYPE_PALETTE) {
    png_set_palette_to_rgb(png);
    png_set_strip_alpha(png);
  }
  if (info.bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (info.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, reader.info);
  if (png_get_image_height(png, reader.info) != info.height || png_get_image_width(png, reader.info) != info.width ||
      png_get_rowbytes(png, reader.info) != static_cast<size_t>(info.width) * pixel_bytes)
    reader.escape.leave(kOtherHeader);
}

// Where the rows of the region go. `kept` has room for one row, or for the picture where it is interlaced.
struct Target {
  const Region& region;
  size_t row_bytes, pixel_bytes;
  uint8_t* kept;
  uint8_t* out;

  uint8_t* out_row(int64_t y) const { return out + static_cast<size_t>(y - region.y0) * cropped_bytes(); }
  size_t cropped_bytes() const { return static_cast<size_t>(region.width) * pixel_bytes; }
  void crop(const uint8_t* row, int64_t y) const {
    std::memcpy(out_row(y), row + static_cast<size_t>(region.x0) * pixel_bytes, cropped_bytes());
  }
};

void read_in_order(Reader& reader, const Target& target) {
  const Region& region = target.region;
  const bool direct = target.cropped_bytes() == target.row_bytes;
  for (int64_t y = 0; y < region.y0 + region.height; ++y, ++reader.rows_done) {
    const bool wanted = y >= region.y0;
    png_read_row(reader.state, wanted && direct ? target.out_row(y) : target.kept, nullptr);
    if (wanted && !direct) target.crop(target.kept, y);
  }
}

void read_interlaced(Reader& reader, const Target& target, int64_t height) {
  for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass)
    for (int64_t y = 0; y < height; ++y)
      png_read_row(reader.state, target.kept + static_cast<size_t>(y) * target.row_bytes, nullptr);
  for (int64_t y = target.region.y0; y < target.region.y0 + target.region.height; ++y)
    target.crop(target.kept + static_cast<size_t>(y) * target.row_bytes, y);
}

void PngEngine::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                       std::byte* out) {
  const size_t pixel_bytes = samples(info, request.type).pixel_bytes();
  const size_t row_bytes = static_cast<size_t>(info.width) * pixel_bytes;
  const TrimLater later(kept_);
  Reader reader(bytes);
  bool done = reader.escape.run([&] { start(reader, info, pixel_bytes); });
  if (done) {
    const bool interlaced = png_get_interlace_type(reader.state, reader.info) != PNG_INTERLACE_NONE;
    kept_.resize(row_bytes * (interlaced ? static_cast<size_t>(info.height) : 1));
    const Target target{region, row_bytes, pixel_bytes, kept_.data(), reinterpret_cast<uint8_t*>(out)};
    done = reader.escape.run([&] {
      if (interlaced)
        read_interlaced(reader, target, info.height);
      else
        read_in_order(reader, target);
    });
  }
  PENSTOCK_CHECK(done, DataError, "{}, after {} of {} rows", reader.escape.message(), reader.rows_done, info.height);
}

}  // namespace

std::unique_ptr<Engine> make_engine() { return std::make_unique<PngEngine>(); }

}  // namespace penstock::codec::png
