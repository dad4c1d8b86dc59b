// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of laplacian().
struct LaplacianArgs {
  /// FLOAT, or the input's type, which it is when not given.
  Constant<DType> dtype = {};
  /// Scales each derivative by 2^(n + 2 - s), n the number of axes and s the sum of its windows' sizes. Excludes
  /// `scale`. Default: `false`.
  Constant<bool> normalized_kernel = {};
  /// Factor of each derivative: one, or one for each axis. Default: `{1.0}`.
  Arg<Floats> scale = {};
  /// Odd size of the windows along the other axes, 1 (none) to 31, likewise; that of the derived axis when not given.
  /// Default: `{}`.
  Arg<Ints> smoothing_size = {};
  /// Odd size of the window along the derived axis, 3 to 31: one, or one for each axis, outermost first. Default:
  /// `{3}`.
  Arg<Ints> window_size = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Sums the second derivatives along all axes but channels and frames. Each is a separable convolution: second
/// differences along its axis, binomial smoothing along the others. Borders are as in `gaussian_blur`.
/// @param data  Any type but bool; channels first or last. Without a layout all axes count.
/// @return Shape and layout of the input, its type or FLOAT.
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
