// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

struct ShotArgs {
  Arg<double> factor = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Replaces each element by a Poisson number of mean element / factor, times the factor: the noise of counted events,
/// such as photons on a sensor. Negative elements become 0.
inline Node shot(Graph& graph, Node data, const ShotArgs& args = {}) {
  return Call("noise.shot", {data}, args.common).arg("factor", args.factor).arg("seed", args.seed).add(graph).front();
}

}  // namespace noise

}  // namespace penstock::fn
