#include "ops/geometry/homography.h"

#include <cmath>

#include "core/check.h"

namespace penstock {
namespace {

/// Of what is left without the row and the column.
double minor_of(const Homography& m, size_t row, size_t column) {
  const size_t r0 = row == 0 ? 1 : 0, r1 = row <= 1 ? 2 : 1, r2 = row <= 2 ? 3 : 2;
  const size_t c0 = column == 0 ? 1 : 0, c1 = column <= 1 ? 2 : 1, c2 = column <= 2 ? 3 : 2;
  return m[r0][c0] * (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) -
         m[r0][c1] * (m[r1][c0] * m[r2][c2] - m[r1][c2] * m[r2][c0]) +
         m[r0][c2] * (m[r1][c0] * m[r2][c1] - m[r1][c1] * m[r2][c0]);
}

constexpr Homography kIdentity = PixelMap{}.to_output;

}  // namespace

Homography of_plane(const std::array<std::array<double, 3>, 3>& matrix) {
  const auto row = [](const std::array<double, 3>& from) {
    return std::array<double, 4>{from[0], from[1], 0, from[2]};
  };
  return {{row(matrix[0]), row(matrix[1]), {0, 0, 1, 0}, row(matrix[2])}};
}

Homography product(const Homography& a, const Homography& b) {
  Homography made{};
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j)
      for (size_t k = 0; k < 4; ++k) made[i][j] += a[i][k] * b[k][j];
  return made;
}

double determinant(const Homography& m) {
  double sum = 0;
  for (size_t j = 0; j < 4; ++j) sum += (j % 2 == 0 ? 1 : -1) * m[0][j] * minor_of(m, 0, j);
  return sum;
}

Homography inverse(const Homography& m) {
  const double determinant = penstock::determinant(m);
  PENSTOCK_CHECK(determinant != 0 && std::isfinite(1 / determinant), ArgumentError,
                 "`matrix` has no inverse: its determinant is {}", determinant);
  Homography made;
  for (size_t i = 0; i < 4; ++i)
    for (size_t j = 0; j < 4; ++j) made[i][j] = ((i + j) % 2 == 0 ? 1 : -1) * minor_of(m, j, i) / determinant;
  return made;
}

PixelMap looked_up(const Homography& to_source, const Place& in, const Place& out, int axes) {
  PixelMap map{.to_output = inverse(to_source), .in = in, .out = out, .axes = axes};
  // A multiple of a homography is the same one: this one has a positive w where the middle of the result shows.
  const auto& w = to_source[3];
  if (w[0] * out[0] / 2 + w[1] * out[1] / 2 + w[2] * out[2] / 2 + w[3] < 0)
    for (const size_t row : {0, 1, 3})  // z has no part in what is no affine map
      for (double& one : map.to_output[row]) one = -one;
  return map;
}

int pixel_axis(const TensorDesc& picture, char letter) {
  const int axis = picture.layout.find(letter);
  PENSTOCK_CHECK(axis >= 0, ArgumentError,
                 "labels follow pictures and volumes: a tensor of shape {} and layout \"{}\" has no axis {}; give it a "
                 "layout",
                 to_string(picture.shape), picture.layout.view(), letter);
  return axis;
}

int pixel_axes(const TensorDesc& picture) { return picture.layout.find('D') < 0 ? 2 : 3; }

Place pixel_extents(const TensorDesc& picture) {
  Place extents{};
  for (int i = 0; i < pixel_axes(picture); ++i)
    extents[static_cast<size_t>(i)] = static_cast<double>(picture.shape[pixel_axis(picture, "WHD"[i])]);
  return extents;
}

PixelMap pixels_of(const TensorDesc& picture) {
  return {.to_output = kIdentity, .in = pixel_extents(picture), .out = {}, .axes = pixel_axes(picture)};
}

}  // namespace penstock
