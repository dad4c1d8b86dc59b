// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CoordTransformArgs {
  Arg<Floats> M = {};
  Arg<Floats> MT = {};
  Arg<Floats> T = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Maps points, vectors or colours by a matrix and an offset: M x + T.
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
