// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

/// Arguments of warp_perspective().
struct WarpPerspectiveArgs {
  /// What lies outside: "constant" (`fill_value`), "replicate" (aaa|abcd), "reflect" (cba|abcd), "reflect_101"
  /// (dcb|abcd) or "wrap" (bcd|abcd). Default: `"constant"`.
  Constant<std::string> border_mode = {};
  /// One value, or one for each channel of a pixel; usually 0. Default: `{}`.
  Constant<Floats> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kLinear`.
  Constant<InterpType> interp_type = {};
  /// True: the matrix maps places of the result to places of the input. False: the other way; it is inverted. Default:
  /// `true`.
  Constant<bool> inverse_map = {};
  /// Its nine elements, row by row; axes are x, y. Default: `{}`.
  Arg<Floats> matrix = {};
  /// Where (0, 0) lies: "corner" of the first pixel, or its "center", as in OpenCV. Default: `"corner"`.
  Constant<std::string> pixel_origin = {};
  /// Rows and columns of the result; those of the input when not given. Default: `{}`.
  Arg<Floats> size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Looks pictures up at the places that a homography says.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC, HW, CHW, FCHW.
/// @param matrix_input  The matrix instead of the argument `matrix`: FLOAT, of shape (3, 3). May be left out: `{}`.
/// @return Of the input's type and layout.
inline Node warp_perspective(Graph& graph, Node input, std::optional<Node> matrix_input,
                             const WarpPerspectiveArgs& args = {}) {
  return Call("experimental.warp_perspective", {input}, args.common)
      .input(matrix_input)
      .arg("border_mode", args.border_mode)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("inverse_map", args.inverse_map)
      .arg("matrix", args.matrix)
      .arg("pixel_origin", args.pixel_origin)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace experimental

}  // namespace penstock::fn
