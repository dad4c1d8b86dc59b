// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct JitterArgs {
  Constant<double> fill_value = {};
  Constant<InterpType> interp_type = {};
  Arg<int64_t> mask = {};
  Constant<int64_t> nDegree = {};
  Constant<int64_t> seed = {};
  CommonArgs common = {};
};
/// Replaces each pixel by a random one near it: up to nDegree / 2 columns and rows away, evenly, and never outside.
inline Node jitter(Graph& graph, Node input, const JitterArgs& args = {}) {
  return Call("jitter", {input}, args.common)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("mask", args.mask)
      .arg("nDegree", args.nDegree)
      .arg("seed", args.seed)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
