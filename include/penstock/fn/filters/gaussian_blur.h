// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct GaussianBlurArgs {
  Constant<DType> dtype = {};
  Arg<Floats> sigma = {};
  Arg<Ints> window_size = {};
  CommonArgs common = {};
};
/// Blurs images, volumes or every frame of a sequence with a Gaussian. Beyond the border pixels are mirrored, without
/// the border pixel itself.
inline Node gaussian_blur(Graph& graph, Node data, const GaussianBlurArgs& args = {}) {
  return Call("gaussian_blur", {data}, args.common)
      .arg("dtype", args.dtype)
      .arg("sigma", args.sigma)
      .arg("window_size", args.window_size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
