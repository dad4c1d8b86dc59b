// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of hue().
struct HueArgs {
  /// UINT8, INT16, INT32, FLOAT or FLOAT16; None: the input's.
  Constant<DType> dtype = {};
  /// Turns the colours, in degrees. Default: `0.0`.
  Arg<double> hue = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes the hue.
///
/// A linear approximation in YIQ space, not a true HSV.
/// @param images  RGB: uint8, int16, int32, float or float16. Layouts: HWC, FHWC, DHWC.
/// @return Shape and layout as the input.
inline Node hue(Graph& graph, Node images, const HueArgs& args = {}) {
  return Call("hue", {images}, args.common).arg("dtype", args.dtype).arg("hue", args.hue).add(graph).front();
}

}  // namespace penstock::fn
