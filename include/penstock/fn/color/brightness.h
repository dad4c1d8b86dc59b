// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BrightnessArgs {
  Arg<double> brightness = {};
  Arg<double> brightness_shift = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes the brightness: brightness_shift * range + brightness * x.
inline Node brightness(Graph& graph, Node images, const BrightnessArgs& args = {}) {
  return Call("brightness", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("brightness_shift", args.brightness_shift)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
