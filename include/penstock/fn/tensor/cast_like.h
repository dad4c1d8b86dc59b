// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CastLikeArgs {
  CommonArgs common = {};
};
/// Converts to the type of another tensor, as `cast` does.
inline Node cast_like(Graph& graph, Node data, Node dtype_source, const CastLikeArgs& args = {}) {
  return Call("cast_like", {data, dtype_source}, args.common).add(graph).front();
}

}  // namespace penstock::fn
