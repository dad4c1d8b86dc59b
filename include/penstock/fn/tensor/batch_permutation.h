// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of batch_permutation().
struct BatchPermutationArgs {
  /// Whether samples may occur more than once. Default: `false`.
  Constant<bool> allow_repetitions = {};
  /// Whether every sample must leave its place; has no effect on a batch of one. Default: `false`.
  Constant<bool> no_fixed_points = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// A random order of the samples of a batch, for `permute_batch`.
/// @return One int32 scalar per sample.
inline Node batch_permutation(Graph& graph, const BatchPermutationArgs& args = {}) {
  return Call("batch_permutation", {}, args.common)
      .arg("allow_repetitions", args.allow_repetitions)
      .arg("no_fixed_points", args.no_fixed_points)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
