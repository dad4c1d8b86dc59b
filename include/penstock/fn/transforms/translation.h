// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of translation().
struct TranslationArgs {
  /// How far points are moved along each axis. Required.
  Arg<Floats> offset = {};
  /// Whether the transform is applied before that of the input, instead of after it. Default: `false`.
  Constant<bool> reverse_order = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes the matrix of a translation.
/// @param matrix  A transform to combine with: FLOAT, n rows of n + 1 numbers. May be left out: `{}`.
/// @return FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.
inline Node translation(Graph& graph, std::optional<Node> matrix, const TranslationArgs& args = {}) {
  return Call("transforms.translation", {}, args.common)
      .input(matrix)
      .arg("offset", args.offset)
      .arg("reverse_order", args.reverse_order)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
