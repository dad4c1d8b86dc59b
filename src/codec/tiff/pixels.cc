#include "codec/tiff/pixels.h"

#include <algorithm>
#include <cstring>

#include "core/check.h"

namespace penstock::codec::tiff {
namespace {

std::vector<std::array<uint16_t, 3>> read_palette(const File& file, const Layout& layout) {
  std::array<const uint16_t*, 3> maps{};
  const int found = TIFFGetField(file.get(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]);
  PENSTOCK_CHECK(found == 1 && maps[0] && maps[1] && maps[2], DataError, "the file lacks the palette it refers to");
  std::vector<std::array<uint16_t, 3>> palette(size_t{1} << layout.bits);
  uint16_t highest = 0;
  for (size_t i = 0; i < palette.size(); ++i)
    for (size_t c = 0; c < 3; ++c) highest = std::max(highest, palette[i][c] = maps[c][i]);
  // Old writers put 8-bit colours where the format wants 16 bits; libtiff's own converter makes the same guess.
  if (highest < 256)
    for (auto& rgb : palette)
      for (uint16_t& v : rgb) v = static_cast<uint16_t>(v * 257);
  return palette;
}

// Sample number `i` of a row; the first one in the highest bits of a byte.
uint32_t load_sample(const uint8_t* row, int64_t i, int bits) {
  if (bits == 8) return row[i];
  if (bits == 16) {
    uint16_t value;  // libtiff has put it into the machine's order
    std::memcpy(&value, row + i * 2, 2);
    return value;
  }
  if (bits == 32) {
    uint32_t value;
    std::memcpy(&value, row + i * 4, 4);
    return value;
  }
  const int64_t begin = i * bits, end = begin + bits;
  uint32_t value = 0;
  for (int64_t byte = begin / 8; byte * 8 < end; ++byte) value = value << 8 | row[byte];
  return value >> (8 - end % 8) % 8 & ((1u << bits) - 1);
}

// Of pixels of `given` samples the first `made`.
template <class T>
void first_samples(const uint8_t* from, int64_t count, int given, int made, T* out) {
  const size_t step = static_cast<size_t>(given) * sizeof(T);
  for (int64_t i = 0; i < count; ++i, from += step, out += made)
    for (int c = 0; c < made; ++c) std::memcpy(out + c, from + static_cast<size_t>(c) * sizeof(T), sizeof(T));
}

}  // namespace

Pixels::Pixels(const File& file, const Layout& layout, const Region& region, int channels, std::byte* out)
    : layout_(layout), region_(region), channels_(channels), out_(out) {
  if (layout.palette()) palette_ = read_palette(file, layout);
}

void Pixels::put(const uint8_t* piece, int64_t y, int64_t x, int64_t count, int plane) const {
  const int64_t begin = std::max(x, region_.x0), end = std::min(x + count, region_.x0 + region_.width);
  if (y < region_.y0 || y >= region_.y0 + region_.height || begin >= end) return;
  if (layout_.bits > 16)
    put_as<uint32_t>(piece, y, x, begin, end, plane);
  else if (layout_.bits > 8 || layout_.palette())
    put_as<uint16_t>(piece, y, x, begin, end, plane);
  else
    put_as<uint8_t>(piece, y, x, begin, end, plane);
}

template <class T>
void Pixels::put_as(const uint8_t* piece, int64_t y, int64_t x, int64_t begin, int64_t end, int plane) const {
  const int made = channels_, given = layout_.side_by_side(), copied = std::min(given, made);
  T* out = reinterpret_cast<T*>(out_) + ((y - region_.y0) * region_.width + begin - region_.x0) * made + plane;
  const uint32_t highest = ~0u >> (32 - layout_.bits);
  const bool inverted = layout_.photometric == PHOTOMETRIC_MINISWHITE && plane == 0;
  const bool as_stored = !inverted && !layout_.palette() && !layout_.planes;
  if (as_stored && layout_.bits == 8 * static_cast<int>(sizeof(T))) {
    const uint8_t* from = piece + static_cast<size_t>((begin - x) * given) * sizeof(T);
    if (given == made)
      std::memcpy(out, from, static_cast<size_t>((end - begin) * given) * sizeof(T));
    else
      first_samples(from, end - begin, given, made, out);
    return;
  }
  for (int64_t column = begin - x; column < end - x; ++column, out += made) {
    const auto sample = [&](int c) { return load_sample(piece, column * given + c, layout_.bits); };
    if (layout_.palette()) {
      for (size_t c = 0; c < 3; ++c) out[c] = static_cast<T>(palette_[sample(0)][c]);
    } else {
      out[0] = static_cast<T>(inverted ? highest - sample(0) : sample(0));
      for (int c = 1; c < copied; ++c) out[c] = static_cast<T>(sample(c));
    }
  }
}

}  // namespace penstock::codec::tiff
