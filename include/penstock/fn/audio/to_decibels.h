// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ToDecibelsArgs {
  Constant<double> cutoff_db = {};
  Constant<double> multiplier = {};
  Constant<double> reference = {};
  CommonArgs common = {};
};
/// Magnitudes in decibels: multiplier * log10(max(x / reference, 10 ^ (cutoff_db / multiplier))). NaN and negative
/// numbers give `cutoff_db`.
inline Node to_decibels(Graph& graph, Node magnitude, const ToDecibelsArgs& args = {}) {
  return Call("to_decibels", {magnitude}, args.common)
      .arg("cutoff_db", args.cutoff_db)
      .arg("multiplier", args.multiplier)
      .arg("reference", args.reference)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
