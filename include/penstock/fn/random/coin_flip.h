// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

struct CoinFlipArgs {
  Constant<DType> dtype = {};
  Arg<double> probability = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Gives 1 with a probability, else 0.
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
