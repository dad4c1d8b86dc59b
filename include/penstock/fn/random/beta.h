// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

/// Arguments of beta().
struct BetaArgs {
  /// First parameter of the distribution; positive. Default: `1.0`.
  Arg<double> alpha = {};
  /// Second parameter of the distribution; positive. Default: `1.0`.
  Arg<double> beta = {};
  /// Type of the output; float when not given. FLOAT64 numbers are made of 53 random bits, others of 24.
  Constant<DType> dtype = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Shape of the output.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Numbers in [0, 1] with a beta distribution.
/// @param shape_like  Tensor whose shape the output takes. Excludes `shape`. May be left out: `{}`.
/// @return A scalar, or a tensor of the given shape.
inline Node beta(Graph& graph, std::optional<Node> shape_like, const BetaArgs& args = {}) {
  return Call("random.beta", {}, args.common)
      .input(shape_like)
      .arg("alpha", args.alpha)
      .arg("beta", args.beta)
      .arg("dtype", args.dtype)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace random

}  // namespace penstock::fn
