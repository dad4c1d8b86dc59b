// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of rotate().
struct RotateArgs {
  /// Degrees, counter-clockwise; of volumes a positive rotation around the axis. Required.
  Arg<double> angle = {};
  /// Of volumes: the vector x, y, z to turn around, of any length but 0. Default: `{}`.
  Arg<Floats> axis = {};
  /// Type of the result: the input's, or FLOAT.
  Constant<DType> dtype = {};
  /// Value of what lies outside of the input. Without it the input's border goes on.
  Constant<double> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kLinear`.
  Constant<InterpType> interp_type = {};
  /// The result is as large as the input. Default: `false`.
  Constant<bool> keep_size = {};
  /// Extents of the result in the layout's order, without channels: rows, columns. Default: `{}`.
  Arg<Floats> size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Rotates pictures counter-clockwise around their centre, and volumes around an axis through theirs. The canvas grows
/// so that all of the input is seen, unless `keep_size` or `size` says otherwise.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, DHWC, FDHWC.
/// @return Of the input's type and layout, or FLOAT.
inline Node rotate(Graph& graph, Node input, const RotateArgs& args = {}) {
  return Call("rotate", {input}, args.common)
      .arg("angle", args.angle)
      .arg("axis", args.axis)
      .arg("dtype", args.dtype)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("keep_size", args.keep_size)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
