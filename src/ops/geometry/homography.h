// Homographies as matrices, and the axes of pictures that they move.
#pragma once

#include <penstock/tensor.h>

#include "ops/geometry/moves_pixels.h"

namespace penstock {

/// Applies `b`, then `a`.
Homography product(const Homography& a, const Homography& b);
/// @throws ArgumentError where there is none
Homography inverse(const Homography& m);
/// Less or more than zero as places keep their sense of rotation or are mirrored; zero where there is no inverse.
double determinant(const Homography& m);

/// The map of a picture that is looked up at `to_source` of each place of the result.
/// @throws ArgumentError where that has no inverse
PixelMap looked_up(const Homography& to_source, std::array<double, 2> in, std::array<double, 2> out);

/// The axis 'W' or 'H' of a picture or of frames. @throws ArgumentError for volumes and other layouts
int plane_axis(const TensorDesc& picture, char letter);
/// Width and height. @throws ArgumentError likewise
std::array<double, 2> plane_extents(const TensorDesc& picture);

}  // namespace penstock
