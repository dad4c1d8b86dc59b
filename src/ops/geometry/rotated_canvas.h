// How large a picture is that was rotated whole.
#pragma once

#include <cstdint>

#include <penstock/shape.h>

namespace penstock {

/// The extent that holds `exact` elements, even or odd as the extent along the axis that it mostly shows.
int64_t canvas_extent(double exact, int64_t shown);

/// Height and width of the canvas for a picture of height and width `in` that is rotated by `angle` degrees.
Shape picture_canvas(const Shape& in, float angle);

}  // namespace penstock
