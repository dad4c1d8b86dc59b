// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PowerSpectrumArgs {
  Constant<int64_t> axis = {};
  Constant<int64_t> nfft = {};
  Constant<int64_t> power = {};
  CommonArgs common = {};
};
/// The power, or magnitude, of each frequency of signals along an axis.
inline Node power_spectrum(Graph& graph, Node signal, const PowerSpectrumArgs& args = {}) {
  return Call("power_spectrum", {signal}, args.common)
      .arg("axis", args.axis)
      .arg("nfft", args.nfft)
      .arg("power", args.power)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
