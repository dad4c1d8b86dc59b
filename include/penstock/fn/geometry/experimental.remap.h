// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

/// Arguments of remap().
struct RemapArgs {
  /// What lies outside: "constant" (`fill_value`), "replicate" (aaa|abcd), "reflect" (cba|abcd), "reflect_101"
  /// (dcb|abcd) or "wrap" (bcd|abcd). Default: `"constant"`.
  Constant<std::string> border_mode = {};
  /// One value, or one for each channel; usually 0. Default: `{}`.
  Constant<Floats> fill_value = {};
  /// INTERP_NN or INTERP_LINEAR. Default: `InterpType::kLinear`.
  Constant<InterpType> interp = {};
  /// Where (0, 0) lies: "corner" of the first pixel, or its "center", as in OpenCV. Default: `"corner"`.
  Constant<std::string> pixel_origin = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Looks pictures up at places that two maps say: result(x, y) = input(mapx(x, y), mapy(x, y)). The result has the
/// maps' rows and columns. A place that is NaN lies outside, left of and above the picture.
/// @param input  uint8, int16, uint16, int32 or float. Layouts: HWC, FHWC.
/// @param mapx  FLOAT: for each position of the result the place along x, as HW or HWC; FHW for frames.
/// @param mapy  FLOAT, likewise along y.
/// @return Of the input's type and layout.
inline Node remap(Graph& graph, Node input, Node mapx, Node mapy, const RemapArgs& args = {}) {
  return Call("experimental.remap", {input, mapx, mapy}, args.common)
      .arg("border_mode", args.border_mode)
      .arg("fill_value", args.fill_value)
      .arg("interp", args.interp)
      .arg("pixel_origin", args.pixel_origin)
      .add(graph)
      .front();
}

}  // namespace experimental

}  // namespace penstock::fn
