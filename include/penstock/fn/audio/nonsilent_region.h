// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct NonsilentRegionArgs {
  Arg<double> cutoff_db = {};
  Arg<double> reference_power = {};
  Arg<int64_t> window_length = {};
  CommonArgs common = {};
};
/// Where a signal begins and ends to be louder than silence: from the first window whose mean power is not below the
/// cutoff to the end of the last one. Zeros alone count as loud, since no power is below theirs.
inline std::array<Node, 2> nonsilent_region(Graph& graph, Node signal, const NonsilentRegionArgs& args = {}) {
  return Call("nonsilent_region", {signal}, args.common)
      .arg("cutoff_db", args.cutoff_db)
      .arg("reference_power", args.reference_power)
      .arg("window_length", args.window_length)
      .add<2>(graph);
}

}  // namespace penstock::fn
