// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct HsvArgs {
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  Arg<double> saturation = {};
  Arg<double> value = {};
  CommonArgs common = {};
};
/// Changes hue, saturation and value.
///
/// A linear approximation in YIQ space, not a true HSV.
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
