// Where the pixels of a picture have gone, and which part of it is still seen, over all operators since its source.
#pragma once

#include <span>
#include <vector>

#include <penstock/tensor.h>

#include "ops/geometry/moves_pixels.h"

namespace penstock {

/// x and y in pixels; the corner of the first pixel is (0, 0).
using Place = std::array<double, 2>;

class PictureGeometry {
 public:
  /// Nothing has moved a picture of that width and height.
  void begin(const Place& extents);
  /// One more operator has. Without begin() its input is the source.
  /// @throws DataError where that is not as large as the picture so far
  void follow(const PixelMap& map);
  /// The picture has other extents, its pixels stay where they are.
  void resize(const Place& extents) { picture_ = extents; }

  const Place& source() const { return source_; }
  const Place& picture() const { return picture_; }
  /// From places in the source to places in the picture.
  const Homography& to_picture() const { return to_picture_; }
  /// Half planes (a, b, c) of places in the source, a x + b y + c >= 0, all of which hold what is seen.
  std::span<const std::array<double, 3>> seen() const { return seen_; }
  bool is_seen(const Place& in_source) const;
  /// NaN for places that lie behind the horizon of a perspective.
  Place moved(const Place& in_source) const;
  /// Whether left and right are exchanged.
  bool mirrors() const;
  /// Cuts off what is not seen of a polygon, whose corners lie in the source; empty where nothing is seen.
  void cut(std::vector<Place>& polygon) const;

  /// FLOAT64: three rows of the matrix, both extents, and a row for each half plane.
  TensorDesc description() const;
  void write(double* rows) const;
  /// Nothing for a tensor without rows. @throws ArgumentError for what was not written by write()
  static PictureGeometry read(const TensorView& tensor);

 private:
  void see_rectangle(const Place& extents);
  void see(std::array<double, 3> half_plane);

  bool begun_ = false;
  Homography to_picture_ = PixelMap{}.to_output;
  Place source_{}, picture_{};
  std::vector<std::array<double, 3>> seen_;
};

/// Pixels that coordinates count in: 1, or with `ratio`, where they are parts of extents, the extents.
Place units_of(const Place& extents, bool ratio);

/// Twice the area that a polygon encloses.
double twice_area(std::span<const Place> polygon);

}  // namespace penstock
