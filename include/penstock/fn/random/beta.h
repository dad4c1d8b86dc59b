// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

struct BetaArgs {
  Arg<double> alpha = {};
  Arg<double> beta = {};
  Constant<DType> dtype = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Numbers in [0, 1] with a beta distribution.
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
