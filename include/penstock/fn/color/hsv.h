// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of hsv().
struct HsvArgs {
  /// UINT8, INT16, INT32, FLOAT or FLOAT16; None: the input's. Default: `DType::kUInt8`.
  Constant<DType> dtype = {};
  /// Turns the colours, in degrees. Default: `0.0`.
  Arg<double> hue = {};
  /// Multiplies the colourfulness; 0 gives gray. Default: `1.0`.
  Arg<double> saturation = {};
  /// Multiplies the values. Default: `1.0`.
  Arg<double> value = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes hue, saturation and value.
///
/// A linear approximation in YIQ space, not a true HSV.
/// @param images  RGB: uint8, int16, int32, float or float16. Layouts: HWC, FHWC, DHWC.
/// @return Shape and layout as the input.
inline Node hsv(Graph& graph, Node images, const HsvArgs& args = {}) {
  return Call("hsv", {images}, args.common)
      .arg("dtype", args.dtype)
      .arg("hue", args.hue)
      .arg("saturation", args.saturation)
      .arg("value", args.value)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
