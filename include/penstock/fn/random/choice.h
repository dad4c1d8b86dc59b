// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace random {

/// Arguments of choice().
struct ChoiceArgs {
  /// Probability of each element; all equal when not given.
  Arg<Floats> p = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Shape of the picks; one pick when not given.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Picks elements at random, with replacement.
/// @param a  A list to pick from along its first axis, or a scalar n for the integers below n.
/// @param shape_like  Tensor whose shape the picks take. Excludes `shape`. May be left out: `{}`.
/// @return What was picked, of the type of `a`.
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
