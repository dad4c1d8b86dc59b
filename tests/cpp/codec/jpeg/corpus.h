// JPEG files of every kind, written by libjpeg in the test, and both decoders on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codec/codec.h"
#include "codec/engine.h"

namespace penstock::codec::jpeg {

enum class Stored { kGray, kYCbCr, kRgb, kCmyk, kYcck };

/// Sampling factors of the components: horizontal, vertical.
using Factors = std::array<std::array<int, 2>, 4>;

struct Coding {
  int height = 16, width = 16;
  Stored stored = Stored::kYCbCr;
  Factors factors{{{1, 1}, {1, 1}, {1, 1}, {1, 1}}};
  int quality = 90;
  int restart_interval = 0;
  bool optimised = false;    // Huffman tables of the file's own
  bool wide_tables = false;  // quantisation values of 16 bits where quality asks for them
  double noise = 0;          // share of random pixels: long codes, blocks without an end
  bool progressive = false;
  bool arithmetic = false;
  bool one_scan_each = false;  // the components one after the other
  unsigned seed = 1;

  std::string text() const;
};

std::vector<uint8_t> encode(const Coding& coding);

/// Pixels as the JPEG engine hands them over; nothing where the decoder leaves the file to the other one.
using Pixels = std::vector<uint8_t>;
std::optional<Pixels> own_decode(std::span<const uint8_t> file, ImageType type, const Region& region);
/// @throws DataError
Pixels turbo_decode(std::span<const uint8_t> file, ImageType type, const Region& region);

Region whole_of(std::span<const uint8_t> file);
Pixels crop_of(const Pixels& whole, const Region& all, const Region& region);

/// A region within the picture, of any size.
template <class Random>
Region random_region(Random& random, const Region& all) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint32_t>(n)); };
  const int64_t y0 = below(all.height), x0 = below(all.width);
  return {y0, x0, 1 + below(all.height - y0), 1 + below(all.width - x0)};
}

}  // namespace penstock::codec::jpeg
