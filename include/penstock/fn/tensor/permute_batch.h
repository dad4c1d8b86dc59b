// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of permute_batch().
struct PermuteBatchArgs {
  /// Which sample comes to each place, one index per sample. Required.
  Arg<Ints> indices = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Rearranges the samples of a batch; nothing is copied.
/// @param data  A batch of any shape and type.
/// @return The samples that the indices name.
inline Node permute_batch(Graph& graph, Node data, const PermuteBatchArgs& args = {}) {
  return Call("permute_batch", {data}, args.common).arg("indices", args.indices).add(graph).front();
}

}  // namespace penstock::fn
