// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PermuteBatchArgs {
  Arg<Ints> indices = {};
  CommonArgs common = {};
};
/// Rearranges the samples of a batch; nothing is copied.
inline Node permute_batch(Graph& graph, Node data, const PermuteBatchArgs& args = {}) {
  return Call("permute_batch", {data}, args.common).arg("indices", args.indices).add(graph).front();
}

}  // namespace penstock::fn
