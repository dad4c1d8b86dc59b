// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BrightnessContrastArgs {
  Arg<double> brightness = {};
  Arg<double> brightness_shift = {};
  Arg<double> contrast = {};
  Arg<double> contrast_center = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes brightness and contrast: brightness_shift * range + brightness * (center + contrast * (x - center)).
inline Node brightness_contrast(Graph& graph, Node images, const BrightnessContrastArgs& args = {}) {
  return Call("brightness_contrast", {images}, args.common)
      .arg("brightness", args.brightness)
      .arg("brightness_shift", args.brightness_shift)
      .arg("contrast", args.contrast)
      .arg("contrast_center", args.contrast_center)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
