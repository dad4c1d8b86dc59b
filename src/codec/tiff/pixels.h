// From rows of a TIFF file, as libtiff uncompresses them, to interleaved samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codec/engine.h"
#include "codec/tiff/file.h"

namespace penstock::codec::tiff {

/// Takes pieces of stored rows in any order and puts what lies in the region to its place.
class Pixels {
 public:
  /// @param channels how many to hand over; more that are stored are left out
  Pixels(const File& file, const Layout& layout, const Region& region, int channels, std::byte* out);

  const Region& region() const { return region_; }
  /// How many planes are to be read.
  int planes() const { return layout_.planes && !layout_.palette() ? channels_ : 1; }
  /// A piece of a row as libtiff hands it over: `count` pixels from column `x` on, of one plane or of all samples.
  void put(const uint8_t* piece, int64_t y, int64_t x, int64_t count, int plane) const;

 private:
  template <class T>
  void put_as(const uint8_t* piece, int64_t y, int64_t x, int64_t begin, int64_t end, int plane) const;

  const Layout& layout_;
  const Region& region_;
  int channels_;
  std::byte* out_;
  std::vector<std::array<uint16_t, 3>> palette_;
};

}  // namespace penstock::codec::tiff
