// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of jitter().
struct JitterArgs {
  /// Value of what lies outside of the input. Default: `0.0`.
  Constant<double> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kNN`.
  Constant<InterpType> interp_type = {};
  /// 0: the sample stays as it is. Default: `1`.
  Arg<int64_t> mask = {};
  /// Extent of the square that pixels come from, less one. Default: `2`.
  Constant<int64_t> nDegree = {};
  /// Seed of this operator's random numbers; by default made from the pipeline's seed.
  Constant<int64_t> seed = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Replaces each pixel by a random one near it: up to nDegree / 2 columns and rows away, evenly, and never outside.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, HW, CHW, FCHW.
/// @return Shape, layout and type of the input.
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
