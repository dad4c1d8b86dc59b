// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

/// Arguments of uniform().
struct UniformArgs {
  /// Type of the output; float when not given. FLOAT64 numbers have 53 random bits, all others 24, and are rounded to
  /// integers where needed.
  Constant<DType> dtype = {};
  /// Half-open range [low, high). Excludes `values`. Default: `{-1.0, 1.0}`.
  Arg<Floats> range = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Shape of the output.
  Arg<Ints> shape = {};
  /// The values to pick from, each as likely. Excludes `range`. Default: `{}`.
  Arg<Floats> values = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Numbers that are uniform over a range, or picked from a list.
/// @param shape_like  Tensor whose shape the output takes. Excludes `shape`. May be left out: `{}`.
/// @return A scalar, or a tensor of the given shape.
inline Node uniform(Graph& graph, std::optional<Node> shape_like, const UniformArgs& args = {}) {
  return Call("random.uniform", {}, args.common)
      .input(shape_like)
      .arg("dtype", args.dtype)
      .arg("range", args.range)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .arg("values", args.values)
      .add(graph)
      .front();
}

}  // namespace random

}  // namespace penstock::fn
