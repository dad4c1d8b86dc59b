// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

/// Arguments of normal().
struct NormalArgs {
  /// Type of the output; float when not given. FLOAT64 numbers have 53 random bits, all others 24, and are rounded to
  /// integers where needed.
  Constant<DType> dtype = {};
  /// Mean of the distribution. Default: `0.0`.
  Arg<double> mean = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Shape of the output.
  Arg<Ints> shape = {};
  /// Standard deviation of the distribution. Default: `1.0`.
  Arg<double> stddev = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Normally distributed numbers.
/// @param shape_like  Tensor whose shape the output takes. Excludes `shape`. May be left out: `{}`.
/// @return A scalar, or a tensor of the given shape.
inline Node normal(Graph& graph, std::optional<Node> shape_like, const NormalArgs& args = {}) {
  return Call("random.normal", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("mean", args.mean)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .arg("stddev", args.stddev)
      .add(graph)
      .front();
}

}  // namespace random

}  // namespace penstock::fn
