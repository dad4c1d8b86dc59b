// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of cast().
struct CastArgs {
  /// Type of the output. Required.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Converts to another type: rounds to nearest, halves away from zero, and clamps to the range of the type.
/// @param data  Tensor of any shape and type.
/// @return The converted values.
inline Node cast(Graph& graph, Node data, const CastArgs& args = {}) {
  return Call("cast", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
