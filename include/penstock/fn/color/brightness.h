// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of brightness().
struct BrightnessArgs {
  /// Multiplies the values. Default: `1.0`.
  Arg<double> brightness = {};
  /// Added, as a share of the output's range: 1 is the type's highest value (1 for FLOAT). Default: `0.0`.
  Arg<double> brightness_shift = {};
  /// UINT8, INT16, INT32 or FLOAT; the input's when not given.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes the brightness: brightness_shift * range + brightness * x.
/// @param images  Images, volumes or sequences: uint8, int16, int32 or float. Layouts: FHWC, DHWC, HWC.
/// @return Shape and layout as the input.
inline Node brightness(Graph& graph, Node images, const BrightnessArgs& args = {}) {
  return Call("brightness", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("brightness_shift", args.brightness_shift)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
