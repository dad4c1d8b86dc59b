// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of cast_like().
struct CastLikeArgs {
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Converts to the type of another tensor, as `cast` does.
/// @param data  Tensor of any shape and type.
/// @param dtype_source  Tensor whose type is taken.
/// @return The converted values.
inline Node cast_like(Graph& graph, Node data, Node dtype_source, const CastLikeArgs& args = {}) {
  return Call("cast_like", {data, dtype_source}, args.common).add(graph).front();
}

}  // namespace penstock::fn
