#include "ops/transforms/affine.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "core/check.h"

namespace penstock {
namespace {

double radians(double degrees) { return degrees * (std::numbers::pi / 180); }

/// Swaps and scales rows of both matrices until row `k` of `a` has a one on the diagonal.
void normalise_row(Affine& a, Affine& inverse, int k) {
  int pivot = k;
  for (int row = k + 1; row < a.ndim; ++row)
    if (std::abs(a(row, k)) > std::abs(a(pivot, k))) pivot = row;
  const double divisor = a(pivot, k);
  PENSTOCK_CHECK(divisor != 0 && std::isfinite(divisor), ArgumentError,
                 "the matrix has no inverse: it maps different points to the same one");
  for (int column = 0; column < a.ndim; ++column) {
    std::swap(a(pivot, column), a(k, column));
    std::swap(inverse(pivot, column), inverse(k, column));
    a(k, column) /= divisor;
    inverse(k, column) /= divisor;
  }
}

}  // namespace

Affine identity_map(int ndim) {
  Affine map{.ndim = ndim, .m = {}};
  for (int i = 0; i < ndim; ++i) map(i, i) = 1;
  return map;
}

Affine translation_by(std::span<const float> offset) {
  Affine map = identity_map(static_cast<int>(offset.size()));
  for (int i = 0; i < map.ndim; ++i) map.offset(i) = offset[static_cast<size_t>(i)];
  return map;
}

Affine chained(const Affine& first, const Affine& second) {
  Affine map{.ndim = first.ndim, .m = {}};
  for (int row = 0; row < map.ndim; ++row) {
    for (int column = 0; column <= map.ndim; ++column)
      for (int k = 0; k < map.ndim; ++k) map(row, column) += second(row, k) * first(k, column);
    map.offset(row) += second.offset(row);
  }
  return map;
}

Affine around(std::span<const float> center, const Affine& linear) {
  if (center.empty()) return linear;
  Affine map = linear;
  for (int row = 0; row < map.ndim; ++row) {
    map.offset(row) += center[static_cast<size_t>(row)];
    for (int k = 0; k < map.ndim; ++k) map.offset(row) -= map(row, k) * center[static_cast<size_t>(k)];
  }
  return map;
}

Affine inverse(const Affine& map) {
  Affine a = map, made = identity_map(map.ndim);
  for (int k = 0; k < a.ndim; ++k) {
    normalise_row(a, made, k);
    for (int row = 0; row < a.ndim; ++row) {
      const double factor = a(row, k);
      if (row == k || factor == 0) continue;
      for (int column = 0; column < a.ndim; ++column) {
        a(row, column) -= factor * a(k, column);
        made(row, column) -= factor * made(k, column);
      }
    }
  }
  for (int row = 0; row < made.ndim; ++row)
    for (int k = 0; k < made.ndim; ++k) made.offset(row) -= made(row, k) * map.offset(k);
  return made;
}

Affine rotation_by(double degrees) {
  const double c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  Affine map = identity_map(2);
  map(0, 0) = c, map(0, 1) = -s;
  map(1, 0) = s, map(1, 1) = c;
  return map;
}

Affine rotation_by(double degrees, std::span<const float> axis) {
  PENSTOCK_CHECK(axis.size() == 3, ArgumentError, "`axis` needs three components, got {}", axis.size());
  const double length = std::hypot(axis[0], axis[1], axis[2]);
  PENSTOCK_CHECK(length > 0 && std::isfinite(length), ArgumentError, "`axis` must have a length, got ({}, {}, {})",
                 axis[0], axis[1], axis[2]);
  const double u[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
  const double c = std::cos(radians(degrees)), s = std::sin(radians(degrees));
  // Rodrigues' formula: R = c I + (1 - c) u u^T + s [u]x.
  const double cross[3][3] = {{0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0}};
  Affine map = identity_map(3);
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) map(i, k) = (i == k ? c : 0) + (1 - c) * u[i] * u[k] + s * cross[i][k];
  return map;
}

Affine affine_from(const TensorView& matrix) {
  PENSTOCK_CHECK(matrix.dtype == DType::kFloat, TypeError, "a transform is a matrix of FLOAT, got {}",
                 name_of(matrix.dtype));
  const int64_t n = matrix.shape.ndim() == 2 ? matrix.shape[0] : 0;
  PENSTOCK_CHECK(n >= 1 && n <= kMaxAffineAxes && matrix.shape[1] == n + 1, ArgumentError,
                 "a transform is a matrix of n rows and n + 1 columns, n from 1 to {}; got the shape {}",
                 kMaxAffineAxes, to_string(matrix.shape));
  Affine map{.ndim = static_cast<int>(n), .m = {}};
  const float* element = matrix.as<float>();
  for (int row = 0; row < map.ndim; ++row)
    for (int column = 0; column <= map.ndim; ++column) map(row, column) = *element++;
  return map;
}

void store(const Affine& map, float* matrix) {
  for (int row = 0; row < map.ndim; ++row)
    for (int column = 0; column <= map.ndim; ++column) *matrix++ = static_cast<float>(map(row, column));
}

}  // namespace penstock
