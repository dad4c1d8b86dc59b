#include "codec/pnm/pnm.h"

#include <algorithm>
#include <bit>

#include "codec/bytes.h"

namespace penstock::codec::pnm {
namespace {

bool is_space(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

// Reads numbers in text, with comments from # to the end of the line.
class Text {
 public:
  Text(std::span<const uint8_t> bytes, size_t at) : bytes_(bytes), at_(at) {}

  uint32_t number() {
    skip_space();
    uint32_t value = 0;
    const size_t begin = at_;
    for (; at_ < bytes_.size() && is_digit(bytes_[at_]); ++at_) {
      value = value * 10 + (bytes_[at_] - '0');
      PENSTOCK_CHECK(value < (1u << 28), DataError, "the number at byte {} is too large", begin);
    }
    PENSTOCK_CHECK(at_ > begin, DataError, "a number is missing at byte {} of {}", at_, bytes_.size());
    return value;
  }
  /// Plain bitmaps need no space between their digits.
  uint32_t digit() {
    skip_space();
    const uint8_t c = slice(bytes_, at_++, 1)[0];
    PENSTOCK_CHECK(c == '0' || c == '1', DataError, "the bitmap has a digit other than 0 and 1 at byte {}", at_ - 1);
    return c - '0';
  }
  size_t position() const { return at_; }

 private:
  void skip_space() {
    for (bool comment = false; at_ < bytes_.size(); ++at_) {
      const uint8_t c = bytes_[at_];
      if (c == '#') comment = true;
      if (c == '\n') comment = false;
      if (!comment && !is_space(c)) return;
    }
  }

  std::span<const uint8_t> bytes_;
  size_t at_;
};

struct Header {
  int64_t height = 0, width = 0;
  int channels = 1;
  uint32_t highest = 1;
  bool plain = false, bitmap = false;
  size_t data = 0;

  size_t stored_row_bytes() const {
    if (bitmap) return (static_cast<size_t>(width) + 7) / 8;
    return static_cast<size_t>(width * channels) * (highest > 255 ? 2 : 1);
  }
};

Header read_header(std::span<const uint8_t> bytes) {
  const int kind = bytes[1] - '0';
  Header h{.channels = kind % 3 == 0 ? 3 : 1, .plain = kind <= 3, .bitmap = kind % 3 == 1};
  Text text(bytes, 2);
  h.width = text.number();
  h.height = text.number();
  check_extents(h.height, h.width);
  if (!h.bitmap) h.highest = text.number();
  PENSTOCK_CHECK(h.highest >= 1 && h.highest <= 65535, DataError,
                 "the header says that the highest sample is {}; it must be 1 to 65535", h.highest);
  h.data = text.position() + 1;  // one white space
  // In plain files a sample takes a digit and, but for bitmaps, a space.
  const size_t samples = static_cast<size_t>(h.height * h.width) * static_cast<size_t>(h.channels);
  const size_t least =
      h.plain ? samples * (h.bitmap ? 1 : 2) - 1 : h.stored_row_bytes() * static_cast<size_t>(h.height);
  slice(bytes, h.data, least);
  return h;
}

// Scales a stored sample to the full range of Out. Samples above the highest are the highest.
template <class Out>
class Scale {
 public:
  explicit Scale(const Header& h) : highest_(h.highest), inverted_(h.bitmap) {}
  Out operator()(uint32_t value) const {
    value = std::min(value, highest_);
    if (inverted_) value = highest_ - value;  // in bitmaps 1 is black
    constexpr uint64_t kFull = Out(-1);
    return static_cast<Out>((value * kFull + highest_ / 2) / highest_);
  }

 private:
  uint32_t highest_;
  bool inverted_;
};

template <class Out>
void decode_plain(std::span<const uint8_t> bytes, const Header& h, const Region& region, Out* out) {
  const Scale<Out> scale(h);
  Text text(bytes, h.data);
  for (int64_t y = 0; y < region.y0 + region.height; ++y)
    for (int64_t x = 0; x < h.width; ++x)
      for (int c = 0; c < h.channels; ++c) {
        const uint32_t value = h.bitmap ? text.digit() : text.number();
        if (y >= region.y0 && x >= region.x0 && x < region.x0 + region.width) *out++ = scale(value);
      }
}

template <class Out>
void decode_raw(std::span<const uint8_t> bytes, const Header& h, const Region& region, Out* out) {
  const Scale<Out> scale(h);
  for (int64_t y = region.y0; y < region.y0 + region.height; ++y) {
    const auto row = slice(bytes, h.data + static_cast<size_t>(y) * h.stored_row_bytes(), h.stored_row_bytes());
    const int64_t end = (region.x0 + region.width) * h.channels;
    for (int64_t i = region.x0 * h.channels; i < end; ++i) {
      if (h.bitmap)
        *out++ = scale(row[static_cast<size_t>(i / 8)] >> (7 - i % 8) & 1u);
      else
        *out++ = scale(sizeof(Out) == 2 ? load_be16(&row[static_cast<size_t>(i) * 2]) : row[static_cast<size_t>(i)]);
    }
  }
}

Info info_of(const Header& h) {
  return {.format = &kEntry,
          .height = h.height,
          .width = h.width,
          .channels = h.channels,
          .bits = static_cast<int>(std::bit_width(h.highest))};
}

class PnmEngine : public Engine {
 public:
  Samples samples(const Info& info, ImageType) const override {
    return {.channels = info.channels, .bits = info.bits > 8 ? 16 : 8};
  }

  void decode(std::span<const uint8_t> bytes, const Info& info, const Request&, const Region& region,
              std::byte* out) override {
    const Header h = read_header(bytes);
    PENSTOCK_CHECK(info_of(h) == info, DataError, kOtherHeader);
    if (h.highest > 255)
      decode_as(bytes, h, region, reinterpret_cast<uint16_t*>(out));
    else
      decode_as(bytes, h, region, reinterpret_cast<uint8_t*>(out));
  }

 private:
  template <class Out>
  static void decode_as(std::span<const uint8_t> bytes, const Header& h, const Region& region, Out* out) {
    h.plain ? decode_plain(bytes, h, region, out) : decode_raw(bytes, h, region, out);
  }
};

}  // namespace

bool recognises(std::span<const uint8_t> bytes) {
  return bytes.size() > 3 && bytes[0] == 'P' && bytes[1] >= '1' && bytes[1] <= '6' &&
         (is_space(bytes[2]) || bytes[2] == '#');
}

Info peek(std::span<const uint8_t> bytes) { return info_of(read_header(bytes)); }

std::unique_ptr<Engine> make_engine() { return std::make_unique<PnmEngine>(); }

}  // namespace penstock::codec::pnm
