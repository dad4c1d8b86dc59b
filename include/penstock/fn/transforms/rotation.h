// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of rotation().
struct RotationArgs {
  /// Degrees. Required.
  Arg<double> angle = {};
  /// Three numbers of any length but none: the axis of a rotation in space. Default: `{}`.
  Arg<Floats> axis = {};
  /// The point that stays where it is; the origin when not given. Default: `{}`.
  Arg<Floats> center = {};
  /// Whether the transform is applied before that of the input, instead of after it. Default: `false`.
  Constant<bool> reverse_order = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes the matrix of a rotation: in the plane, or around `axis` in three dimensions.
/// @param matrix  A transform to combine with: FLOAT, n rows of n + 1 numbers. May be left out: `{}`.
/// @return FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.
inline Node rotation(Graph& graph, std::optional<Node> matrix, const RotationArgs& args = {}) {
  return Call("transforms.rotation", {}, args.common)
      .input(matrix)
      .arg("angle", args.angle)
      .arg("axis", args.axis)
      .arg("center", args.center)
      .arg("reverse_order", args.reverse_order)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
