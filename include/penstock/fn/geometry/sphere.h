// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of sphere().
struct SphereArgs {
  /// Value of what lies outside of the input. Default: `0.0`.
  Constant<double> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kNN`.
  Constant<InterpType> interp_type = {};
  /// 0: the sample stays as it is. Default: `1`.
  Arg<int64_t> mask = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Shows pictures as through a ball of glass in their middle, whose radius is half the longer side.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, HW, CHW, FCHW.
/// @return Shape, layout and type of the input.
inline Node sphere(Graph& graph, Node input, const SphereArgs& args = {}) {
  return Call("sphere", {input}, args.common)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("mask", args.mask)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
