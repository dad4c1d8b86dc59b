// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of warp_affine().
struct WarpAffineArgs {
  /// Type of the result: the input's, or FLOAT.
  Constant<DType> dtype = {};
  /// Value of what lies outside of the input. Without it the input's border goes on.
  Constant<double> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kLinear`.
  Constant<InterpType> interp_type = {};
  /// True: the matrix maps places of the result to places of the input. False: the other way; it is inverted. Default:
  /// `true`.
  Constant<bool> inverse_map = {};
  /// Rows of the matrix: M11, M12, M13, M21, M22, M23 of pictures, twelve values of volumes. Axes are x, y, z. Default:
  /// `{}`.
  Arg<Floats> matrix = {};
  /// Extents of the result in the layout's order, without channels: rows, columns. Default: `{}`.
  Arg<Floats> size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Looks pictures and volumes up at the places that an affine map says. The corner of the first pixel is the origin;
/// its centre is at .5.
/// @param data  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, DHWC, FDHWC.
/// @param mtx  The matrix instead of the argument `matrix`: FLOAT, of shape (2, 3), of volumes (3, 4). May be left out:
/// `{}`.
/// @return Of the input's type and layout, or FLOAT.
inline Node warp_affine(Graph& graph, Node data, std::optional<Node> mtx, const WarpAffineArgs& args = {}) {
  return Call("warp_affine", {data}, args.common)
      .input(mtx)
      .arg("dtype", args.dtype)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("inverse_map", args.inverse_map)
      .arg("matrix", args.matrix)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
