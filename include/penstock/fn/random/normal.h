// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

struct NormalArgs {
  Constant<DType> dtype = {};
  Arg<double> mean = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  Arg<double> stddev = {};
  CommonArgs common = {};
};
/// Normally distributed numbers.
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
