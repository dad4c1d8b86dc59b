// Masks of objects as numbers of classes, pixel by pixel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "readers/coco/annotations.h"

namespace penstock::coco {

/// Rows of pixels, each the number of a class, 0 where no object is.
struct Canvas {
  int32_t* pixels = nullptr;
  int64_t height = 0, width = 0;
};

/// Writes `value` to all pixels inside of the object.
void paint(std::span<const uint32_t> counts, int32_t value, const Canvas& canvas);

/// The same for a polygon in pixels, with the very pixels that COCO's own tools take for its inside. Takes time by
/// the polygon's edges and the canvas, however far away vertices are. `ends` is memory that is kept.
void paint(std::span<const Vertex> polygon, int32_t value, const Canvas& canvas, std::vector<int64_t>& ends);

}  // namespace penstock::coco
