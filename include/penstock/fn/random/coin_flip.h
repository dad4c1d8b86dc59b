// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

/// Arguments of coin_flip().
struct CoinFlipArgs {
  /// Type of the output; int32 when not given.
  Constant<DType> dtype = {};
  /// Probability of a 1. Default: `0.5`.
  Arg<double> probability = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Shape of the output.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Gives 1 with a probability, else 0.
/// @param shape_like  Tensor whose shape the output takes. Excludes `shape`. May be left out: `{}`.
/// @return A scalar, or a tensor of the given shape.
inline Node coin_flip(Graph& graph, std::optional<Node> shape_like, const CoinFlipArgs& args = {}) {
  return Call("random.coin_flip", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("probability", args.probability)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace random

}  // namespace penstock::fn
