// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BatchPermutationArgs {
  Constant<bool> allow_repetitions = {};
  Constant<bool> no_fixed_points = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// A random order of the samples of a batch, for `permute_batch`.
inline Node batch_permutation(Graph& graph, const BatchPermutationArgs& args = {}) {
  return Call("batch_permutation", {}, args.common)
      .arg("allow_repetitions", args.allow_repetitions)
      .arg("no_fixed_points", args.no_fixed_points)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
