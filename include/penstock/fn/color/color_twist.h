// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of color_twist().
struct ColorTwistArgs {
  /// Multiplies the values. Default: `1.0`.
  Arg<double> brightness = {};
  /// Multiplies distances from mid-gray. Default: `1.0`.
  Arg<double> contrast = {};
  /// UINT8, INT16, INT32, FLOAT or FLOAT16; None: the input's.
  Constant<DType> dtype = {};
  /// Turns the colours, in degrees. Default: `0.0`.
  Arg<double> hue = {};
  /// Multiplies the colourfulness; 0 gives gray. Default: `1.0`.
  Arg<double> saturation = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes hue, saturation, brightness and contrast.
///
/// A linear approximation in YIQ space, not a true HSV.
/// @param images  RGB: uint8, int16, int32, float or float16. Layouts: HWC, FHWC, DHWC.
/// @return Shape and layout as the input.
inline Node color_twist(Graph& graph, Node images, const ColorTwistArgs& args = {}) {
  return Call("color_twist", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("contrast", args.contrast)
      .arg("dtype", args.dtype)
      .arg("hue", args.hue)
      .arg("saturation", args.saturation)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
