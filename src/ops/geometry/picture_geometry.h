// Where the pixels of a picture or volume have gone, and which part of it is still seen, over all operators since its
// source.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <penstock/tensor.h>

#include "ops/geometry/convex_body.h"

namespace penstock {

class PictureGeometry {
 public:
  /// Nothing has moved a picture of that width and height, or with 3 axes a volume.
  void begin(const Place& extents, int axes = 2);
  /// One more operator has. Without begin() its input is the source.
  /// @throws DataError where that is not as large as the picture so far
  void follow(const PixelMap& map);
  /// The picture has other extents, its pixels stay where they are.
  void resize(const Place& extents) { picture_ = extents; }

  int axes() const { return axes_; }
  const Place& source() const { return source_; }
  const Place& picture() const { return picture_; }
  /// From places in the source to places in the picture.
  const Homography& to_picture() const { return to_picture_; }
  /// Of places in the source, all of which hold what is seen; c is 0 in pictures.
  std::span<const HalfSpace> seen() const { return seen_; }
  bool is_seen(const Place& in_source) const;
  /// NaN for places that lie behind the horizon of a perspective.
  Place moved(const Place& in_source) const;
  /// Whether left and right are exchanged.
  bool mirrors() const;
  /// Cuts off what is not seen of a polygon in a picture, whose corners lie in the source; empty where nothing is seen.
  void cut(std::vector<Place>& polygon) const;

  /// FLOAT64: four rows of the matrix, the extents of both with the number of axes, and a row for each half space.
  TensorDesc description() const;
  void write(double* rows) const;
  /// Nothing for a tensor without rows. @throws ArgumentError for what was not written by write()
  static PictureGeometry read(const TensorView& tensor);

 private:
  void see_all(const Place& extents);
  void see(HalfSpace half_space);

  bool begun_ = false;
  int axes_ = 2;
  Homography to_picture_ = PixelMap{}.to_output;
  Place source_{}, picture_{};
  std::vector<HalfSpace> seen_;
};

/// Pixels that coordinates count in: 1, or with `ratio`, where they are parts of extents, the extents.
Place units_of(const Place& extents, bool ratio);

/// As shapes have it: "60 x 90", or depth before these.
std::string told_extents(const Place& extents, int axes);

/// Twice the area that a polygon encloses.
double twice_area(std::span<const Place> polygon);

}  // namespace penstock
