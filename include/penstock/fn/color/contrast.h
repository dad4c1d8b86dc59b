// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of contrast().
struct ContrastArgs {
  /// Multiplies distances from `contrast_center`; 0 gives plain gray. Default: `1.0`.
  Arg<double> contrast = {};
  /// The value that contrast leaves alone; by default the middle of the input's range: 128 for UINT8, 0.5 for FLOAT.
  Arg<double> contrast_center = {};
  /// UINT8, INT16, INT32 or FLOAT; the input's when not given.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Changes the contrast: center + contrast * (x - center).
/// @param images  Images, volumes or sequences: uint8, int16, int32 or float. Layouts: FHWC, DHWC, HWC.
/// @return Shape and layout as the input.
inline Node contrast(Graph& graph, Node images, const ContrastArgs& args = {}) {
  return Call("contrast", {images}, args.common)
      .arg("contrast", args.contrast)
      .arg("contrast_center", args.contrast_center)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
