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
