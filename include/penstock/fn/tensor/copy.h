// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of copy().
struct CopyArgs {
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Copies the data.
/// @param data  Tensor of any shape and type.
/// @return A copy in memory of its own.
inline Node copy(Graph& graph, Node data, const CopyArgs& args = {}) {
  return Call("copy", {data}, args.common).add(graph).front();
}

}  // namespace penstock::fn
