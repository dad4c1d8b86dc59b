// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of to_decibels().
struct ToDecibelsArgs {
  /// The least number of decibels that is given. Default: `-200.0`.
  Constant<double> cutoff_db = {};
  /// 10 for powers, 20 for amplitudes. Default: `10.0`.
  Constant<double> multiplier = {};
  /// The magnitude of 0 dB. Without it that is the largest number of the sample.
  Constant<double> reference = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Magnitudes in decibels: multiplier * log10(max(x / reference, 10 ^ (cutoff_db / multiplier))). NaN and negative
/// numbers give `cutoff_db`.
/// @param magnitude  Float tensor of any shape.
/// @return Float tensor of the same shape and layout.
inline Node to_decibels(Graph& graph, Node magnitude, const ToDecibelsArgs& args = {}) {
  return Call("to_decibels", {magnitude}, args.common)
      .arg("cutoff_db", args.cutoff_db)
      .arg("multiplier", args.multiplier)
      .arg("reference", args.reference)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
