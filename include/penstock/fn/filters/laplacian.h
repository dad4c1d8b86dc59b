// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct LaplacianArgs {
  Constant<DType> dtype = {};
  Constant<bool> normalized_kernel = {};
  Arg<Floats> scale = {};
  Arg<Ints> smoothing_size = {};
  Arg<Ints> window_size = {};
  CommonArgs common = {};
};
/// Sums the second derivatives along all axes but channels and frames. Each is a separable convolution: second
/// differences along its axis, binomial smoothing along the others. Borders are as in `gaussian_blur`.
inline Node laplacian(Graph& graph, Node data, const LaplacianArgs& args = {}) {
  return Call("laplacian", {data}, args.common)
      .arg("dtype", args.dtype)
      .arg("normalized_kernel", args.normalized_kernel)
      .arg("scale", args.scale)
      .arg("smoothing_size", args.smoothing_size)
      .arg("window_size", args.window_size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
