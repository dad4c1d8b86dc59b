// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

struct UniformArgs {
  Constant<DType> dtype = {};
  Arg<Floats> range = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  Arg<Floats> values = {};
  CommonArgs common = {};
};
/// Numbers that are uniform over a range, or picked from a list.
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
