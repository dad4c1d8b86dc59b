#include "ops/geometry/homography.h"

#include <cmath>

#include "core/check.h"

namespace penstock {
namespace {

/// The transpose of the cofactors.
Homography adjugate(const Homography& m) {
  Homography made{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      const size_t r = (j + 1) % 3, s = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      made[i][j] = m[r][c] * m[s][d] - m[r][d] * m[s][c];
    }
  return made;
}

}  // namespace

Homography product(const Homography& a, const Homography& b) {
  Homography made{};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j)
      for (size_t k = 0; k < 3; ++k) made[i][j] += a[i][k] * b[k][j];
  return made;
}

double determinant(const Homography& m) {
  const Homography made = adjugate(m);
  return m[0][0] * made[0][0] + m[0][1] * made[1][0] + m[0][2] * made[2][0];
}

Homography inverse(const Homography& m) {
  Homography made = adjugate(m);
  const double determinant = m[0][0] * made[0][0] + m[0][1] * made[1][0] + m[0][2] * made[2][0];
  PENSTOCK_CHECK(determinant != 0 && std::isfinite(1 / determinant), ArgumentError,
                 "`matrix` has no inverse: its determinant is {}", determinant);
  for (auto& row : made)
    for (double& one : row) one /= determinant;
  return made;
}

PixelMap looked_up(const Homography& to_source, std::array<double, 2> in, std::array<double, 2> out) {
  PixelMap map{.to_output = inverse(to_source), .in = in, .out = out};
  // A multiple of a homography is the same one: this one has a positive w where the middle of the result shows.
  const auto& w = to_source[2];
  if (w[0] * out[0] / 2 + w[1] * out[1] / 2 + w[2] < 0)
    for (auto& row : map.to_output)
      for (double& one : row) one = -one;
  return map;
}

int plane_axis(const TensorDesc& picture, char letter) {
  PENSTOCK_CHECK(
      picture.layout.find('D') < 0, ArgumentError,
      "labels follow pictures, not volumes (layout \"{}\"): give `flip`, `slice` and the like the labels, too",
      picture.layout.view());
  const int axis = picture.layout.find(letter);
  PENSTOCK_CHECK(axis >= 0, ArgumentError,
                 "labels follow pictures: a tensor of shape {} and layout \"{}\" has no axis {}; give it a layout",
                 to_string(picture.shape), picture.layout.view(), letter);
  return axis;
}

std::array<double, 2> plane_extents(const TensorDesc& picture) {
  return {static_cast<double>(picture.shape[plane_axis(picture, 'W')]),
          static_cast<double>(picture.shape[plane_axis(picture, 'H')])};
}

}  // namespace penstock
