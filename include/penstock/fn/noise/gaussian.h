// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace noise {

struct GaussianArgs {
  Arg<double> mean = {};
  Constant<int64_t> seed = {};
  Arg<double> stddev = {};
  CommonArgs common = {};
};
/// Adds a normally distributed number to each element.
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
