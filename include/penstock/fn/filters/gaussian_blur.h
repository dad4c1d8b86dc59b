// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of gaussian_blur().
struct GaussianBlurArgs {
  /// FLOAT, or the input's type, which it is when not given.
  Constant<DType> dtype = {};
  /// Standard deviation in pixels: one, or one for each axis, outermost first. When 0 or not given it is 0.3
  /// ((window_size - 1) / 2 - 1) + 0.8. Default: `{}`.
  Arg<Floats> sigma = {};
  /// Odd number of weights, likewise. When 0 or not given it is 2 ceil(3 sigma) + 1. Default: `{}`.
  Arg<Ints> window_size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Blurs images, volumes or every frame of a sequence with a Gaussian. Beyond the border pixels are mirrored, without
/// the border pixel itself.
/// @param data  Any type but bool; channels first or last. Without a layout all axes are blurred.
/// @return Shape and layout of the input, its type or FLOAT.
inline Node gaussian_blur(Graph& graph, Node data, const GaussianBlurArgs& args = {}) {
  return Call("gaussian_blur", {data}, args.common)
      .arg("dtype", args.dtype)
      .arg("sigma", args.sigma)
      .arg("window_size", args.window_size)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
