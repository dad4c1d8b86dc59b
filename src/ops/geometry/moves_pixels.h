// What an operator tells that moves the pixels of pictures or volumes by a matrix: labels are moved along by it.
#pragma once

#include <array>

namespace penstock {

class Sample;

/// (x, y, z, w) = matrix * (place, 1); the place is then (x / w, y / w, z / w). Those of pictures leave z alone.
using Homography = std::array<std::array<double, 4>, 4>;

/// x, y and, in volumes, z in pixels; the corner of the first pixel is (0, 0, 0).
using Place = std::array<double, 3>;

/// Where places of input 0 lie in output 0.
struct PixelMap {
  /// w is positive where output 0 shows the place
  Homography to_output = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
  Place in{}, out{};  ///< width, height and, of volumes, depth
  int axes = 2;       ///< 3: volumes
};

/// A second base of sample operators whose output 0 is a picture or volume that shows input 0 moved.
class MovesPixels {
 public:
  virtual ~MovesPixels() = default;
  /// Of the sample that infer() has seen last. @throws ArgumentError where the map has no inverse, or it is no picture
  virtual PixelMap pixel_map(const Sample& s) const = 0;
};

}  // namespace penstock
