// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

/// Arguments of shot().
struct ShotArgs {
  /// What one event adds; 0 leaves elements as they are. Default: `20.0`.
  Arg<double> factor = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Replaces each element by a Poisson number of mean element / factor, times the factor: the noise of counted events,
/// such as photons on a sensor. Negative elements become 0.
/// @param data  Tensor of any shape and type.
/// @return Shape, type and layout of the input. Integers are rounded and clamped to their type.
inline Node shot(Graph& graph, Node data, const ShotArgs& args = {}) {
  return Call("noise.shot", {data}, args.common).arg("factor", args.factor).arg("seed", args.seed).add(graph).front();
}

}  // namespace noise

}  // namespace penstock::fn
