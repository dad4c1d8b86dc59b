#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "codec/bytes.h"
#include "codec/scratch.h"
#include "codec/tiff/file.h"
#include "codec/tiff/pixels.h"
#include "codec/tiff/tiff.h"

namespace penstock::codec::tiff {
namespace {

using namespace std::string_view_literals;

// The region's rows out of strips. Compressed strips are read from their first row on; planes one after the other,
// since going back to a strip means to begin it again.
void read_strips(const File& file, const Layout& layout, const Pixels& pixels, std::vector<uint8_t>& row) {
  const int64_t in_strip = file.field<uint32_t>(TIFFTAG_ROWSPERSTRIP);
  PENSTOCK_CHECK(in_strip > 0, DataError, "the header says strips of no rows");
  const Region& region = pixels.region();
  for (int plane = 0; plane < pixels.planes(); ++plane)
    for (int64_t y = region.y0 - region.y0 % in_strip; y < region.y0 + region.height; ++y) {
      if (TIFFReadScanline(file.get(), row.data(), static_cast<uint32_t>(y), static_cast<uint16_t>(plane)) < 0)
        file.raise(y);
      pixels.put(row.data(), y, 0, layout.width, plane);
    }
}

void read_tiles(const File& file, const Layout& layout, const Pixels& pixels, std::vector<uint8_t>& tile) {
  const int64_t height = file.field<uint32_t>(TIFFTAG_TILELENGTH), width = file.field<uint32_t>(TIFFTAG_TILEWIDTH);
  const int64_t row_bytes = TIFFTileRowSize(file.get());
  PENSTOCK_CHECK(height > 0 && width > 0 && row_bytes * height <= static_cast<int64_t>(tile.size()) &&
                     row_bytes * 8 >= width * layout.side_by_side() * layout.bits,
                 DataError, "the header says tiles of {} x {} pixels in {} bytes", height, width, tile.size());
  const Region& region = pixels.region();
  for (int plane = 0; plane < pixels.planes(); ++plane)
    for (int64_t y = region.y0 - region.y0 % height; y < region.y0 + region.height; y += height)
      for (int64_t x = region.x0 - region.x0 % width; x < region.x0 + region.width; x += width) {
        if (TIFFReadTile(file.get(), tile.data(), static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0,
                         static_cast<uint16_t>(plane)) < 0)
          file.raise(y);
        for (int64_t i = 0; i < std::min(height, layout.height - y); ++i)
          pixels.put(tile.data() + i * row_bytes, y + i, x, std::min(width, layout.width - x), plane);
      }
}

constexpr int64_t kMaxPiece = int64_t{256} << 20;  // a row, a tile, or rows of RGBA; hostile headers ask for more

// Of libtiff's RGBA, a number a pixel, in place.
void drop_alpha(uint8_t* row, int64_t width) {
  for (int64_t x = 0; x < width; ++x) {
    uint32_t rgba;
    std::memcpy(&rgba, row + x * 4, sizeof rgba);
    row[x * 3] = static_cast<uint8_t>(TIFFGetR(rgba));
    row[x * 3 + 1] = static_cast<uint8_t>(TIFFGetG(rgba));
    row[x * 3 + 2] = static_cast<uint8_t>(TIFFGetB(rgba));
  }
}

// Libtiff makes RGBA of whole strips, or rows of tiles: where it is to end within subsampled chroma, the last pixels
// are others.
void read_converted(const File& file, const Layout& layout, const Pixels& pixels, std::vector<uint8_t>& kept) {
  std::array<char, 1024> message{};
  TIFFRGBAImage image;
  PENSTOCK_CHECK(TIFFRGBAImageBegin(&image, file.get(), 1, message.data()) == 1, DataError, "{}", message.data());
  const std::unique_ptr<TIFFRGBAImage, decltype(&TIFFRGBAImageEnd)> end(&image, TIFFRGBAImageEnd);
  image.req_orientation = image.orientation;  // none is to be turned
  const bool tiled = TIFFIsTiled(file.get());
  const int64_t rows =
      std::min<int64_t>(file.field<uint32_t>(tiled ? TIFFTAG_TILELENGTH : TIFFTAG_ROWSPERSTRIP), layout.height);
  PENSTOCK_CHECK(rows > 0 && rows * layout.width * 4 <= kMaxPiece, DataError,
                 "the header says pieces of {} rows of {} pixels", rows, layout.width);
  const auto row_bytes = static_cast<size_t>(layout.width) * 4;
  kept.resize(static_cast<size_t>(rows) * row_bytes);
  const Region& region = pixels.region();
  for (int64_t y = region.y0 - region.y0 % rows; y < region.y0 + region.height; y += rows) {
    const int64_t count = std::min(rows, layout.height - y);
    image.row_offset = static_cast<int>(y);
    if (!TIFFRGBAImageGet(&image, reinterpret_cast<uint32_t*>(kept.data()), static_cast<uint32_t>(layout.width),
                          static_cast<uint32_t>(count)))
      file.raise(y);
    for (int64_t i = 0; i < count; ++i) {
      uint8_t* row = kept.data() + static_cast<size_t>(i) * row_bytes;
      drop_alpha(row, layout.width);
      pixels.put(row, y + i, 0, layout.width, 0);
    }
  }
}

class TiffEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType type) const override {
    return {.channels = type == ImageType::kAnyData ? info.channels : std::min(info.channels, 3),
            .bits = info.bits,
            .kind = info.kind};
  }
  void decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
              std::byte* out) override;

 private:
  std::vector<uint8_t> kept_;    // a row or a tile
  std::vector<std::byte> inks_;  // of the region
};

Info info_of(const Layout& layout) {
  return {.format = &kEntry,
          .height = layout.height,
          .width = layout.width,
          .channels = layout.palette() ? 3 : layout.samples,
          .bits = layout.palette() ? 16 : layout.bits,
          .kind = layout.kind,
          .cmyk = layout.cmyk(),
          .associated_alpha = layout.associated_alpha,
          .lowest_is_white = layout.photometric == PHOTOMETRIC_MINISWHITE,
          .orientation = layout.orientation};
}

void read(const File& file, const Layout& layout, const Pixels& pixels, std::vector<uint8_t>& kept) {
  if (layout.converted) return read_converted(file, layout, pixels, kept);
  const bool tiled = TIFFIsTiled(file.get());
  const int64_t size = tiled ? TIFFTileSize(file.get()) : TIFFScanlineSize(file.get());
  const int64_t least = tiled ? 1 : (layout.width * layout.side_by_side() * layout.bits + 7) / 8;
  PENSTOCK_CHECK(size >= least && size <= kMaxPiece, DataError, "the header says {} of {} bytes",
                 tiled ? "tiles" : "rows", size);
  kept.resize(static_cast<size_t>(size));
  if (tiled)
    read_tiles(file, layout, pixels, kept);
  else
    read_strips(file, layout, pixels, kept);
}

// Truncates, as DALI does.
template <class T>
void inks_to_rgb(const std::byte* inks, int64_t count, uint64_t highest, std::byte* out) {
  const T* in = reinterpret_cast<const T*>(inks);
  T* rgb = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i, in += 4, rgb += 3)
    for (int c = 0; c < 3; ++c) rgb[c] = static_cast<T>((highest - in[c]) * (highest - in[3]) / highest);
}

void TiffEngine::decode(std::span<const uint8_t> bytes, const Info& info, const Request& request, const Region& region,
                        std::byte* out) {
  const File file(bytes);
  const Layout layout = read_layout(file);
  PENSTOCK_CHECK(info_of(layout) == info, DataError, kOtherHeader);
  const TrimLater later(kept_);
  const bool to_rgb = info.cmyk && request.type != ImageType::kAnyData;
  if (!to_rgb) {
    const Pixels pixels(file, layout, region, samples(info, request.type).channels, out);
    return read(file, layout, pixels, kept_);
  }
  constexpr int kInks = 4;
  const TrimLater inks_later(inks_);
  const int64_t count = region.height * region.width;
  inks_.resize(static_cast<size_t>(count) * kInks * sample_bytes(info.bits));
  read(file, layout, Pixels(file, layout, region, kInks, inks_.data()), kept_);
  const uint64_t highest = ~uint64_t{0} >> (64 - info.bits);
  if (info.bits > 16)
    inks_to_rgb<uint32_t>(inks_.data(), count, highest, out);
  else if (info.bits > 8)
    inks_to_rgb<uint16_t>(inks_.data(), count, highest, out);
  else
    inks_to_rgb<uint8_t>(inks_.data(), count, highest, out);
}

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  return starts_with(bytes, "II*\0"sv) || starts_with(bytes, "MM\0*"sv) || starts_with(bytes, "II+\0"sv) ||
         starts_with(bytes, "MM\0+"sv);
}

Info peek(std::span<const uint8_t> bytes) { return info_of(read_layout(File(bytes))); }

std::unique_ptr<Engine> make_engine() { return std::make_unique<TiffEngine>(); }

}  // namespace penstock::codec::tiff
