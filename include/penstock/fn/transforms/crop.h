// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of crop().
struct CropArgs {
  /// Exchanges ends that are the wrong way round. Default: `false`.
  Constant<bool> absolute = {};
  /// Upper end of the box. Default: `{1.0}`.
  Arg<Floats> from_end = {};
  /// Lower end of the box; one value stands for all axes. Default: `{0.0}`.
  Arg<Floats> from_start = {};
  /// Whether the transform is applied before that of the input, instead of after it. Default: `false`.
  Constant<bool> reverse_order = {};
  /// Where the upper end goes. Default: `{1.0}`.
  Arg<Floats> to_end = {};
  /// Where the lower end goes. Default: `{0.0}`.
  Arg<Floats> to_start = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Makes the matrix that maps one box to another: coordinates in a picture to those in a crop.
/// @param matrix  A transform to combine with: FLOAT, n rows of n + 1 numbers. May be left out: `{}`.
/// @return FLOAT, n rows of n + 1 numbers: maps a point x of n axes to A x + b, b the last column.
inline Node crop(Graph& graph, std::optional<Node> matrix, const CropArgs& args = {}) {
  return Call("transforms.crop", {}, args.common)
      .input(matrix)
      .arg("absolute", args.absolute)
      .arg("from_end", args.from_end)
      .arg("from_start", args.from_start)
      .arg("reverse_order", args.reverse_order)
      .arg("to_end", args.to_end)
      .arg("to_start", args.to_start)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
