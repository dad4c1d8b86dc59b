// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of scale().
struct ScaleArgs {
  /// The point that stays where it is; the origin when not given. Default: `{}`.
  Arg<Floats> center = {};
  /// Number of axes, where `scale` is one number and there is no input.
  Constant<int64_t> ndim = {};
  /// Whether the transform is applied before that of the input, instead of after it. Default: `false`.
  Constant<bool> reverse_order = {};
  /// Factor along each axis, or one for all. Required.
  Arg<Floats> scale = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes the matrix of a scaling.
/// @param matrix  A transform to combine with: FLOAT, n rows of n + 1 numbers. May be left out: `{}`.
/// @return FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.
inline Node scale(Graph& graph, std::optional<Node> matrix, const ScaleArgs& args = {}) {
  return Call("transforms.scale", {}, args.common)
      .input(matrix)
      .arg("center", args.center)
      .arg("ndim", args.ndim)
      .arg("reverse_order", args.reverse_order)
      .arg("scale", args.scale)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
