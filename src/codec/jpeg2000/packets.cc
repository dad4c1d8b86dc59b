// A file of a few hundred bytes can claim precincts of one sample and 65535 layers, for each of which OpenJPEG
// allocates.
#include <algorithm>

#include "codec/bytes.h"
#include "codec/jpeg2000/header.h"

namespace penstock::codec::jpeg2000 {
namespace {

enum Marker : uint32_t {
  kStartOfTilePart = 0xFF90,
  kStartOfData = 0xFF93,
  kEnd = 0xFFD9,
  kStyle = 0xFF52,
  kComponentStyle = 0xFF53
};

class Checker {
 public:
  Checker(std::span<const uint8_t> bytes, int64_t height, int64_t width, size_t components)
      : bytes_(bytes), height_(height), width_(width), components_(components) {}

  // Follows the markers of all headers: of the file, then of each tile part, whose data it skips.
  void check() {
    size_t at = 2;
    size_t tile_part = 0;
    while (at + 4 <= bytes_.size()) {
      const uint32_t marker = load_be16(&bytes_[at]);
      if (marker == kEnd || marker < 0xFF00) return;
      if (marker == kStartOfData) {
        if (tile_part == 0) return;
        const size_t length = load_be32(&bytes_[tile_part + 6]);
        if (length == 0 || length > bytes_.size() - tile_part || tile_part + length <= at) return;  // the last one
        at = tile_part + length;
        continue;
      }
      const size_t length = load_be16(&bytes_[at + 2]);
      if (length < 2 || length > bytes_.size() - at - 2) return;
      if (marker == kStartOfTilePart) {
        if (length < 10) return;
        tile_part = at;
      }
      segment(marker, bytes_.subspan(at + 4, length - 2));
      at += 2 + length;
    }
  }

 private:
  void segment(uint32_t marker, std::span<const uint8_t> body) {
    if (marker == kStyle && body.size() >= 10) {
      layers_ = load_be16(&body[2]);
      styles(body[0] & 1, body.subspan(5));
    } else if (marker == kComponentStyle) {
      const size_t name = components_ < 257 ? 1 : 2;
      if (body.size() >= name + 6) styles(body[name] & 1, body.subspan(name + 1));
    }
  }

  // Resolutions and the extents of precincts, as powers of two, of a tile. What is counted is no more than there is.
  void styles(bool has_precincts, std::span<const uint8_t> body) const {
    const int resolutions = body[0] + 1;
    constexpr int kMostResolutions = 33;
    PENSTOCK_CHECK(resolutions <= kMostResolutions, DataError, "the header says {} resolutions", resolutions);
    const auto precincts = body.subspan(5);
    int64_t count = 0;
    for (int i = 0; i < resolutions; ++i) {
      const auto at = static_cast<size_t>(i);
      const uint8_t size = has_precincts && at < precincts.size() ? precincts[at] : 0xFF;
      const int shrunk = resolutions - 1 - i;
      count += std::max<int64_t>(1, (width_ >> shrunk) >> (size & 15)) *
               std::max<int64_t>(1, (height_ >> shrunk) >> (size >> 4));
    }
    const auto size = static_cast<int64_t>(bytes_.size());
    PENSTOCK_CHECK(count <= size + kSlack, DataError, "the header says {} precincts a tile, which {} bytes cannot hold",
                   count, size);
    // Files whose last layers were cut away keep the number that they had.
    PENSTOCK_CHECK(count * layers_ * static_cast<int64_t>(components_) <= kFewerLayers * size + kSlack, DataError,
                   "the header says {} layers of {} precincts, which {} bytes cannot hold", layers_, count, size);
  }

  static constexpr int64_t kSlack = 1 << 16, kFewerLayers = 64;

  std::span<const uint8_t> bytes_;
  int64_t height_, width_;
  size_t components_;
  int64_t layers_ = 1;
};

}  // namespace

void check_packets(std::span<const uint8_t> codestream, int64_t tile_height, int64_t tile_width, size_t components) {
  Checker(codestream, tile_height, tile_width, components).check();
}

}  // namespace penstock::codec::jpeg2000
