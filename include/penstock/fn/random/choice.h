// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

struct ChoiceArgs {
  Arg<Floats> p = {};
  Constant<int64_t> seed = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Picks elements at random, with replacement.
inline Node choice(Graph& graph, Node a, std::optional<Node> shape_like, const ChoiceArgs& args = {}) {
  return Call("random.choice", {a}, args.common)
      .input(shape_like)
      .arg("p", args.p)
      .arg("seed", args.seed)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace random

}  // namespace penstock::fn
