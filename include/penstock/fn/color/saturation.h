// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of saturation().
struct SaturationArgs {
  /// UINT8, INT16, INT32, FLOAT or FLOAT16; None: the input's.
  Constant<DType> dtype = {};
  /// Multiplies the colourfulness; 0 gives gray. Default: `1.0`.
  Arg<double> saturation = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes the saturation.
///
/// A linear approximation in YIQ space, not a true HSV.
/// @param images  RGB: uint8, int16, int32, float or float16. Layouts: HWC, FHWC, DHWC.
/// @return Shape and layout as the input.
inline Node saturation(Graph& graph, Node images, const SaturationArgs& args = {}) {
  return Call("saturation", {images}, args.common)
      .arg("dtype", args.dtype)
      .arg("saturation", args.saturation)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
