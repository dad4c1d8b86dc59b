// What an operator tells that moves the pixels of pictures by a matrix: labels of the pictures are moved along by it.
#pragma once

#include <array>

namespace penstock {

class Sample;

/// (x, y, w) = matrix * (place, 1); the place is then (x / w, y / w).
using Homography = std::array<std::array<double, 3>, 3>;

/// Where places of input 0 lie in output 0. Places are in pixels, x before y; the corner of the first pixel is (0, 0).
struct PixelMap {
  Homography to_output = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< w is positive where output 0 shows the place
  std::array<double, 2> in{}, out{};                           ///< width and height
};

/// A second base of sample operators whose output 0 is a picture that shows input 0 moved.
class MovesPixels {
 public:
  virtual ~MovesPixels() = default;
  /// Of the sample that infer() has seen last. @throws ArgumentError where the map has no inverse, or it is no picture
  virtual PixelMap pixel_map(const Sample& s) const = 0;
};

}  // namespace penstock
