// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

/// Arguments of gaussian().
struct GaussianArgs {
  /// Mean of the distribution. Default: `0.0`.
  Arg<double> mean = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Standard deviation of the distribution. Default: `1.0`.
  Arg<double> stddev = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Adds a normally distributed number to each element.
/// @param data  Tensor of any shape and type.
/// @return Shape, type and layout of the input. Integers are rounded and clamped to their type.
inline Node gaussian(Graph& graph, Node data, const GaussianArgs& args = {}) {
  return Call("noise.gaussian", {data}, args.common)
      .arg("mean", args.mean)
      .arg("seed", args.seed)
      .arg("stddev", args.stddev)
      .add(graph)
      .front();
}

}  // namespace noise

}  // namespace penstock::fn
