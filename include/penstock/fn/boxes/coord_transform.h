// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of coord_transform().
struct CoordTransformArgs {
  /// The matrix, row by row; a single number is a multiple of the identity, which it is by default.
  Arg<Floats> M = {};
  /// Matrix and offset as one, the offset being the last column.
  Arg<Floats> MT = {};
  /// The offset; a single number stands for all. Zero by default.
  Arg<Floats> T = {};
  /// FLOAT, or the input's type: results are then rounded and kept in range. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Maps points, vectors or colours by a matrix and an offset: M x + T.
/// @param points  The numbers of a point lie along the last axis. UINT8 to INT32, or FLOAT; of any type where there are
/// none.
/// @return As many numbers along the last axis as the matrix has rows.
inline Node coord_transform(Graph& graph, Node points, const CoordTransformArgs& args = {}) {
  return Call("coord_transform", {points}, args.common)
      .arg("M", args.M)
      .arg("MT", args.MT)
      .arg("T", args.T)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
