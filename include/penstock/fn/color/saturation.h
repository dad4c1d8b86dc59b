// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SaturationArgs {
  Constant<DType> dtype = {};
  Arg<double> saturation = {};
  CommonArgs common = {};
};
/// Changes the saturation.
///
/// A linear approximation in YIQ space, not a true HSV.
inline Node saturation(Graph& graph, Node images, const SaturationArgs& args = {}) {
  return Call("saturation", {images}, args.common)
      .arg("dtype", args.dtype)
      .arg("saturation", args.saturation)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
