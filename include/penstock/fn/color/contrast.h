// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ContrastArgs {
  Arg<double> contrast = {};
  Arg<double> contrast_center = {};
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Changes the contrast: center + contrast * (x - center).
inline Node contrast(Graph& graph, Node images, const ContrastArgs& args = {}) {
  return Call("contrast", {images}, args.common)
      .arg("contrast", args.contrast)
      .arg("contrast_center", args.contrast_center)
      .arg("dtype", args.dtype)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
