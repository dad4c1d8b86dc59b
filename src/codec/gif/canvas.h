// Frames drawn over each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/gif/reader.h"

namespace penstock::codec::gif {

/// RGBA of the whole picture. What no frame has covered has the first frame's transparent colour, or its first one.
class Canvas {
 public:
  Canvas(int64_t height, int64_t width, int background) : height_(height), width_(width), background_(background) {}

  /// Takes the frame before away as it asked for, and draws this one.
  /// @throws DataError for a frame that reaches beyond the canvas
  void draw(const Frame& frame);
  std::span<const Colour> pixels() const { return pixels_; }

 private:
  void fill(const Region& place, const Colour& colour);
  /// Calls `fn(pixel of the canvas, number within the place)`.
  template <class Fn>
  void each(const Region& place, Fn&& fn);
  void prepare_disposal(const Frame& frame);

  int64_t height_, width_;
  int background_;
  bool first_ = true;
  std::vector<Colour> pixels_, below_;  // of the place to dispose
  Region dispose_;
};

}  // namespace penstock::codec::gif
