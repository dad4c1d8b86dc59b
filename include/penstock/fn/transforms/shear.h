// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of shear().
struct ShearArgs {
  /// Angles in degrees whose tangents are the factors. Excludes `shear`. Default: `{}`.
  Arg<Floats> angles = {};
  /// The point that stays where it is; the origin when not given. Default: `{}`.
  Arg<Floats> center = {};
  /// Whether the transform is applied before that of the input, instead of after it. Default: `false`.
  Constant<bool> reverse_order = {};
  /// By how much points move along one axis for each step along another: x by y, y by x; in three dimensions x by y, x
  /// by z, y by x, y by z, z by x, z by y. Excludes `angles`. Default: `{}`.
  Arg<Floats> shear = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes the matrix of a shear.
/// @param matrix  A transform to combine with: FLOAT, n rows of n + 1 numbers. May be left out: `{}`.
/// @return FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.
inline Node shear(Graph& graph, std::optional<Node> matrix, const ShearArgs& args = {}) {
  return Call("transforms.shear", {}, args.common)
      .input(matrix)
      .arg("angles", args.angles)
      .arg("center", args.center)
      .arg("reverse_order", args.reverse_order)
      .arg("shear", args.shear)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
