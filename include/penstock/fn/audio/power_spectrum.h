// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of power_spectrum().
struct PowerSpectrumArgs {
  /// Number of the axis that is transformed; negative ones count from the end. Default: `-1`.
  Constant<int64_t> axis = {};
  /// Points of the transform: signals are cut to so many samples, or go on with zeros. Without it, or with 0, there are
  /// as many as samples.
  Constant<int64_t> nfft = {};
  /// 2: re * re + im * im; 1: its square root. Default: `2`.
  Constant<int64_t> power = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The power, or magnitude, of each frequency of signals along an axis.
/// @param signal  Float tensor of any shape, of one axis or more.
/// @return Float tensor; along the axis it has nfft // 2 + 1 frequencies, from 0 on.
inline Node power_spectrum(Graph& graph, Node signal, const PowerSpectrumArgs& args = {}) {
  return Call("power_spectrum", {signal}, args.common)
      .arg("axis", args.axis)
      .arg("nfft", args.nfft)
      .arg("power", args.power)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
