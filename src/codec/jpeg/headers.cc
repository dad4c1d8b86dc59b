#include "codec/jpeg/headers.h"

#include <algorithm>
#include <string_view>

#include "codec/bytes.h"

namespace penstock::codec::jpeg {
namespace {

using namespace std::string_view_literals;

constexpr uint8_t kBaseline = 0xC0, kExtended = 0xC1, kHuffmanTables = 0xC4, kStartOfScan = 0xDA,
                  kQuantisationTables = 0xDB, kRestartInterval = 0xDD, kApp0 = 0xE0, kApp2 = 0xE2, kApp14 = 0xEE,
                  kApp15 = 0xEF, kComment = 0xFE;
constexpr uint32_t kMaxExtent = 65500;  // libjpeg's

// What the segments say on the way to the scan. Each reader returns false for what is not ours to decode.
class Segments {
 public:
  explicit Segments(Headers& headers) : headers_(headers) {}

  bool take(uint8_t marker, std::span<const uint8_t> body) {
    switch (marker) {
      case kBaseline:
      case kExtended:
        return frame(body);
      case kHuffmanTables:
        return huffman_tables(body);
      case kQuantisationTables:
        return quantisation_tables(body);
      case kRestartInterval:
        if (body.size() != 2) return false;
        headers_.frame.restart_interval = static_cast<int>(load_be16(body.data()));
        return true;
      case kApp0:
        jfif_ |= body.size() >= 14 && starts_with(body, "JFIF\0"sv);
        return true;
      case kApp2:
        headers_.more_follow |= starts_with(body, "MPF\0"sv);
        return true;
      case kApp14:
        if (body.size() < 12 || !starts_with(body, "Adobe"sv)) return true;
        headers_.frame.adobe = true;
        adobe_transform_ = body[11];
        return true;
      default:
        return marker == kComment || (marker > kApp0 && marker <= kApp15);
    }
  }

  bool scan(std::span<const uint8_t> body);

 private:
  bool frame(std::span<const uint8_t> body);
  bool huffman_tables(std::span<const uint8_t> body);
  bool quantisation_tables(std::span<const uint8_t> body);
  bool find_colour();

  Headers& headers_;
  bool jfif_ = false;
  int adobe_transform_ = 0;
  std::array<bool, 4> quantised_{};
};

bool Segments::frame(std::span<const uint8_t> body) {
  Frame& frame = headers_.frame;
  if (frame.count != 0 || body.size() < 6 || body[0] != 8) return false;
  const uint32_t height = load_be16(&body[1]), width = load_be16(&body[3]);
  const size_t count = body[5];
  if (height == 0 || width == 0 || height > kMaxExtent || width > kMaxExtent) return false;
  if ((count != 1 && count != 3 && count != 4) || body.size() != 6 + 3 * count) return false;
  frame.height = static_cast<int>(height);
  frame.width = static_cast<int>(width);
  frame.count = static_cast<int>(count);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* said = &body[6 + 3 * i];
    Component& component = frame.components[i];
    // A single component is stored block by block, whatever its factors.
    const int h = count == 1 ? 1 : said[1] >> 4, v = count == 1 ? 1 : said[1] & 15;
    if (said[1] >> 4 < 1 || said[1] >> 4 > 4 || (said[1] & 15) < 1 || (said[1] & 15) > 4 || said[2] > 3) return false;
    component = {.id = said[0], .h = h, .v = v, .quantisation = said[2]};
    frame.h_max = std::max(frame.h_max, h);
    frame.v_max = std::max(frame.v_max, v);
  }
  return true;
}

bool Segments::huffman_tables(std::span<const uint8_t> body) {
  while (!body.empty()) {
    if (body.size() < 17 || (body[0] & 0xEF) > 3) return false;
    HuffmanCode& code = (body[0] >> 4 != 0 ? headers_.ac : headers_.dc)[body[0] & 3];
    size_t total = 0;
    for (size_t i = 0; i < 16; ++i) total += code.counts[i] = body[1 + i];
    if (total > 256 || body.size() < 17 + total) return false;
    code.symbols = {};
    std::ranges::copy(body.subspan(17, total), code.symbols.begin());
    code.defined = true;
    body = body.subspan(17 + total);
  }
  return true;
}

bool Segments::quantisation_tables(std::span<const uint8_t> body) {
  while (!body.empty()) {
    const size_t value_bytes = body[0] >> 4 != 0 ? 2 : 1, size = 64 * value_bytes;
    if (body[0] >> 4 > 1 || (body[0] & 15) > 3 || body.size() < 1 + size) return false;
    auto& table = headers_.quantisation[body[0] & 3];
    for (size_t i = 0; i < 64; ++i)
      table[kNaturalOrder[i]] = static_cast<uint16_t>(value_bytes == 2 ? load_be16(&body[1 + 2 * i]) : body[1 + i]);
    quantised_[body[0] & 3] = true;
    body = body.subspan(1 + size);
  }
  return true;
}

// libjpeg's rules: what JFIF and Adobe say goes before what the components are called.
bool Segments::find_colour() {
  Frame& frame = headers_.frame;
  const auto called = [&](int a, int b, int c) {
    return frame.components[0].id == a && frame.components[1].id == b && frame.components[2].id == c;
  };
  if (frame.count == 1) {
    frame.colour = Colour::kGray;
  } else if (frame.count == 3) {
    const bool adobe = frame.adobe && !jfif_;
    if (adobe && adobe_transform_ > 1) return false;
    const bool rgb = adobe ? adobe_transform_ == 0 : !jfif_ && called('R', 'G', 'B');
    frame.colour = rgb ? Colour::kRgb : Colour::kYCbCr;
  } else {
    if (frame.adobe && adobe_transform_ != 0 && adobe_transform_ != 2) return false;
    frame.colour = frame.adobe && adobe_transform_ == 2 ? Colour::kYcck : Colour::kCmyk;
  }
  return true;
}

bool Segments::scan(std::span<const uint8_t> body) {
  Frame& frame = headers_.frame;
  const auto count = static_cast<size_t>(frame.count);
  if (count == 0 || body.size() != 4 + 2 * count || body[0] != count) return false;
  for (size_t i = 0; i < count; ++i) {
    Component& component = frame.components[i];
    component.dc = body[2 + 2 * i] >> 4;
    component.ac = body[2 + 2 * i] & 15;
    if (body[1 + 2 * i] != component.id || component.dc > 3 || component.ac > 3) return false;
    for (size_t k = 0; k < i; ++k)
      if (frame.components[k].id == component.id) return false;
    if (!headers_.dc[static_cast<size_t>(component.dc)].defined ||
        !headers_.ac[static_cast<size_t>(component.ac)].defined ||
        !quantised_[static_cast<size_t>(component.quantisation)])
      return false;
    if (frame.h_max % component.h != 0 || frame.v_max % component.v != 0) return false;
  }
  const uint8_t* tail = &body[1 + 2 * count];
  return tail[0] == 0 && tail[1] == 63 && tail[2] == 0 && frame.mcu_blocks() <= kMaxMcuBlocks && find_colour();
}

}  // namespace

bool read_headers(std::span<const uint8_t> bytes, Headers& headers) {
  headers.frame = {};
  headers.more_follow = false;
  for (auto* codes : {&headers.dc, &headers.ac})
    for (HuffmanCode& code : *codes) code.defined = false;
  Segments segments(headers);
  size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xFF) {
    const uint8_t marker = bytes[at + 1];
    if (marker == 0xFF) {
      ++at;  // markers may be preceded by any number of these
      continue;
    }
    const size_t length = load_be16(&bytes[at + 2]);
    if (length < 2 || bytes.size() - (at + 2) < length) return false;
    const auto body = bytes.subspan(at + 4, length - 2);
    at += 2 + length;
    if (marker == kStartOfScan) {
      headers.scan_begin = at;
      return segments.scan(body);
    }
    if (!segments.take(marker, body)) return false;
  }
  return false;
}

}  // namespace penstock::codec::jpeg
