// Polygons and bodies with flat faces, of which half spaces leave a part.
#pragma once

#include <vector>

#include "ops/geometry/moves_pixels.h"

namespace penstock {

/// (a, b, c, d): holds places where a x + b y + c z + d >= 0.
using HalfSpace = std::array<double, 4>;

/// a x + b y + c z + d; where a, b and c have the length 1, how far inside the place lies.
double depth_in(const HalfSpace& half_space, const Place& place);

/// Leaves what lies in the half space of a convex or other polygon, whose corners are in turn; nothing where none does.
void cut(std::vector<Place>& polygon, const HalfSpace& half_space);

/// A convex body.
class ConvexBody {
 public:
  /// A box; it may be flat.
  ConvexBody(const Place& low, const Place& high);
  /// Leaves what lies in the half space, whose a, b and c have the length 1.
  void cut(const HalfSpace& half_space);
  double volume() const;
  /// Each as often as faces meet there; none where nothing is left.
  std::vector<Place> corners() const;

 private:
  std::vector<std::vector<Place>> faces_;  ///< none of them empty
};

}  // namespace penstock
