// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct HueArgs {
  Constant<DType> dtype = {};
  Arg<double> hue = {};
  CommonArgs common = {};
};
/// Changes the hue.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node hue(Graph& graph, Node images, const HueArgs& args = {}) {
  return Call("hue", {images}, args.common).arg("dtype", args.dtype).arg("hue", args.hue).add(graph).front();
}

}  // namespace penstock::fn
