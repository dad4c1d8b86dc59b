// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ColorTwistArgs {
  Arg<double> brightness = {};
  Arg<double> contrast = {};
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  Arg<double> saturation = {};
  CommonArgs common = {};
};
/// Changes hue, saturation, brightness and contrast.
///
/// A linear approximation in YIQ space, not a true HSV.
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
