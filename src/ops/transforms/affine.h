// Affine maps of up to six axes: what the transforms make, and what warps apply.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include <penstock/tensor.h>

namespace penstock {

inline constexpr int kMaxAffineAxes = 6;

/// Maps a point x of `ndim` axes to A x + b; column `ndim` of the matrix is b.
struct Affine {
  int ndim = 0;
  std::array<std::array<double, kMaxAffineAxes + 1>, kMaxAffineAxes> m{};

  double& operator()(int row, int column) { return m[static_cast<size_t>(row)][static_cast<size_t>(column)]; }
  double operator()(int row, int column) const { return m[static_cast<size_t>(row)][static_cast<size_t>(column)]; }
  /// Element of b.
  double& offset(int row) { return (*this)(row, ndim); }
  double offset(int row) const { return (*this)(row, ndim); }
};

Affine identity_map(int ndim);
Affine translation_by(std::span<const float> offset);
/// Applies `first`, then `second`.
Affine chained(const Affine& first, const Affine& second);
/// Applies `linear` around `center`, which then stays where it is; an empty center is the origin.
Affine around(std::span<const float> center, const Affine& linear);
/// @throws ArgumentError where the map has no inverse
Affine inverse(const Affine& map);

/// Counter-clockwise where the first axis points right and the second one up.
Affine rotation_by(double degrees);
/// A positive rotation around an axis of three dimensions. @throws ArgumentError for an axis of no length
Affine rotation_by(double degrees, std::span<const float> axis);

/// Reads a float matrix [n, n + 1]. @throws ArgumentError for other shapes, TypeError for other types
Affine affine_from(const TensorView& matrix);
/// Writes one.
void store(const Affine& map, float* matrix);

}  // namespace penstock
