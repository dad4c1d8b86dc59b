// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of nonsilent_region().
struct NonsilentRegionArgs {
  /// Mean power in decibels above the reference below which is silence. Default: `-60.0`.
  Arg<double> cutoff_db = {};
  /// The power of 0 dB. Without it that is the largest mean power of a window.
  Arg<double> reference_power = {};
  /// Samples of a window; a shorter signal is one window. Default: `2048`.
  Arg<int64_t> window_length = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Where a signal begins and ends to be louder than silence: from the first window whose mean power is not below the
/// cutoff to the end of the last one. Zeros alone count as loud, since no power is below theirs.
/// @param signal  Signal of one axis; float or integers.
/// @return in this order:
/// - `begin`: int32 scalar: the first sample; 0 where all is silent.
/// - `length`: int32 scalar: the number of samples; 0 where all is silent.
inline std::array<Node, 2> nonsilent_region(Graph& graph, Node signal, const NonsilentRegionArgs& args = {}) {
  return Call("nonsilent_region", {signal}, args.common)
      .arg("cutoff_db", args.cutoff_db)
      .arg("reference_power", args.reference_power)
      .arg("window_length", args.window_length)
      .add<2>(graph);
}

}  // namespace penstock::fn
