// How large a picture is that was rotated whole.
#pragma once

#include <cstdint>
#include <span>

#include <penstock/shape.h>

namespace penstock {

/// What a rotated picture or volume asks of its canvas.
struct CanvasNeed {
  Shape least;  ///< extents that hold all of it
  Shape shown;  ///< its own extent along the axis that each of these mostly shows; empty where extents are given
};

/// The least extent that holds `exact` elements.
int64_t least_extent(double exact);

/// What a picture of height and width `in` needs that is rotated by `angle` degrees.
CanvasNeed picture_need(const Shape& in, float angle);

/// The canvas that holds all frames. Its extents are even or odd as those are that most frames show along them.
Shape canvas_for(std::span<const CanvasNeed> frames);

}  // namespace penstock
