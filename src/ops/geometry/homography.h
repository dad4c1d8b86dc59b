// Homographies as matrices, and the axes of pictures and volumes that they move.
#pragma once

#include <penstock/tensor.h>

#include "ops/geometry/moves_pixels.h"

namespace penstock {

/// Of pictures: (x, y, w) = matrix * (place, 1).
Homography of_plane(const std::array<std::array<double, 3>, 3>& matrix);
/// Applies `b`, then `a`.
Homography product(const Homography& a, const Homography& b);
/// @throws ArgumentError where there is none
Homography inverse(const Homography& m);
/// Less or more than zero as places keep their sense of rotation or are mirrored; zero where there is no inverse.
double determinant(const Homography& m);

/// The map of a picture that is looked up at `to_source` of each place of the result.
/// @throws ArgumentError where that has no inverse
PixelMap looked_up(const Homography& to_source, const Place& in, const Place& out, int axes = 2);

/// The axis 'W', 'H' or 'D' of a picture, a volume or frames of them. @throws ArgumentError for other layouts
int pixel_axis(const TensorDesc& picture, char letter);
/// 3 where there is a depth, or 2.
int pixel_axes(const TensorDesc& picture);
/// Width, height and, of volumes, depth. @throws ArgumentError for layouts of nothing such
Place pixel_extents(const TensorDesc& picture);
/// A map that leaves all where it is, of that picture or volume to an empty one. @throws ArgumentError likewise
PixelMap pixels_of(const TensorDesc& picture);

}  // namespace penstock
