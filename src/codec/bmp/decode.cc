#include <bit>

#include "codec/bmp/bmp.h"
#include "codec/bmp/header.h"
#include "codec/bytes.h"

namespace penstock::codec::bmp {
namespace {

// The part of the picture that is wanted, and where it goes.
class Canvas {
 public:
  Canvas(const Header& header, const Region& region, std::byte* out)
      : header_(header), region_(region), out_(reinterpret_cast<uint8_t*>(out)) {}

  uint8_t* pixel(int64_t y, int64_t x) const {
    return out_ + ((y - region_.y0) * region_.width + x - region_.x0) * header_.channels;
  }
  void put(int64_t y, int64_t x, size_t index) const {
    uint8_t* to = pixel(y, x);
    for (int c = 0; c < header_.channels; ++c) to[c] = header_.palette[index][static_cast<size_t>(c)];
  }
  bool holds(int64_t y, int64_t x) const {
    return y >= region_.y0 && y < region_.y0 + region_.height && x >= region_.x0 && x < region_.x0 + region_.width;
  }
  const Region& region() const { return region_; }

 private:
  const Header& header_;
  const Region& region_;
  uint8_t* out_;
};

uint32_t load_pixel(const uint8_t* row, int64_t x, int bits) {
  switch (bits) {
    case 16:
      return load_le16(row + x * 2);
    case 24:
      return load_le16(row + x * 3) | static_cast<uint32_t>(row[x * 3 + 2]) << 16;
    case 32:
      return load_le32(row + x * 4);
    default: {  // 1, 4, 8: the leftmost pixel in the highest bits
      const int64_t bit = x * bits;
      return row[bit / 8] >> (8 - bits - bit % 8) & ((1u << bits) - 1);
    }
  }
}

void decode_plain(std::span<const uint8_t> bytes, const Header& h, const Canvas& canvas) {
  const Region& region = canvas.region();
  for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
    const int64_t stored_row = h.top_down ? y : h.height - 1 - y;
    const auto row = slice(bytes, h.data + static_cast<size_t>(stored_row) * h.row_bytes(), h.row_bytes());
    for (int64_t x = region.x0; x < region.x0 + region.width; ++x) {
      const uint32_t pixel = load_pixel(row.data(), x, h.pixel_bits);
      if (h.pixel_bits <= 8) {
        canvas.put(y, x, pixel);
        continue;
      }
      for (int c = 0; c < h.channels; ++c) canvas.pixel(y, x)[c] = h.masks[static_cast<size_t>(c)].of(pixel);
    }
  }
}

// Runs of pixels from the bottom row up. What no run covers keeps the first entry of the palette; runs that leave the
// picture are cut, as other readers do.
class RunLengths {
 public:
  RunLengths(std::span<const uint8_t> bytes, const Header& h, const Canvas& canvas)
      : bytes_(bytes), at_(h.data), bits_(h.pixel_bits), canvas_(canvas), y_(h.height - 1) {}

  void decode() {
    while (y_ >= canvas_.region().y0) {
      const uint8_t count = take(), value = take();
      if (count > 0)
        run(count, value);
      else if (!command(value))
        return;
    }
  }

 private:
  enum Command : uint8_t { kEndOfRow = 0, kEndOfPicture = 1, kMove = 2 };  // above: that many pixels follow

  uint8_t take() { return slice(bytes_, at_++, 1)[0]; }
  void put(size_t index) {
    if (canvas_.holds(y_, x_)) canvas_.put(y_, x_, index);
    ++x_;
  }
  size_t nibble(uint8_t pair, int i) const { return bits_ == 8 ? pair : i % 2 == 0 ? pair >> 4 : pair & 15; }

  void run(int count, uint8_t value) {
    for (int i = 0; i < count; ++i) put(nibble(value, i));
  }
  bool command(uint8_t code) {
    if (code == kEndOfPicture) return false;
    if (code == kEndOfRow) {
      --y_;
      x_ = 0;
    } else if (code == kMove) {
      x_ += take();
      y_ -= take();
    } else {
      literal(code);
    }
    return true;
  }
  void literal(int count) {
    const int per_byte = 8 / bits_;
    const size_t length = static_cast<size_t>((count + per_byte - 1) / per_byte);
    const auto pixels = slice(bytes_, at_, length);
    for (int i = 0; i < count; ++i) put(nibble(pixels[static_cast<size_t>(i / per_byte)], i));
    at_ += length + length % 2;  // literals fill whole 16-bit words
  }

  std::span<const uint8_t> bytes_;
  size_t at_;
  int bits_;
  const Canvas& canvas_;
  int64_t y_, x_ = 0;
};

Info info_of(const Header& h) {
  return {.format = &kEntry, .height = h.height, .width = h.width, .channels = h.channels};
}

class BmpEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override { return {.channels = info.channels}; }

  void decode(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
              std::byte* out) override {
    const Header h = read_header(bytes);
    PENSTOCK_CHECK(info_of(h) == info, DataError, kOtherHeader);
    const Canvas canvas(h, region, out);
    if (h.compression != Compression::kRle8 && h.compression != Compression::kRle4)
      return decode_plain(bytes, h, canvas);
    for (int64_t y = region.y0; y < region.y0 + region.height; ++y)
      for (int64_t x = region.x0; x < region.x0 + region.width; ++x) canvas.put(y, x, 0);
    RunLengths(bytes, h, canvas).decode();
  }
};

}  // namespace

bool recognises(std::span<const uint8_t> bytes) { return starts_with(bytes, "BM"); }

Info peek(std::span<const uint8_t> bytes) {
  const Header h = read_header(bytes);
  // Run lengths hold 255 pixels in two bytes at best, but may also leave pixels out: only plain files can be checked.
  if (h.compression != Compression::kRle8 && h.compression != Compression::kRle4)
    slice(bytes, h.data, h.row_bytes() * static_cast<size_t>(h.height));
  return info_of(h);
}

std::unique_ptr<Engine> make_engine() { return std::make_unique<BmpEngine>(); }

}  // namespace penstock::codec::bmp
