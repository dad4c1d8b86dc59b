// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CopyArgs {
  CommonArgs common = {};
};
/// Copies the data.
inline Node copy(Graph& graph, Node data, const CopyArgs& args = {}) {
  return Call("copy", {data}, args.common).add(graph).front();
}

}  // namespace penstock::fn
