// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CastArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type.
inline Node cast(Graph& graph, Node data, const CastArgs& args = {}) {
  return Call("cast", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
