// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

struct MedianBlurArgs {
  Arg<Ints> window_size = {};
  CommonArgs common = {};
};
/// Replaces each element by the median of the rectangle around it, each channel by itself. Beyond the border the
/// outermost elements are repeated, as in OpenCV.
inline Node median_blur(Graph& graph, Node input, const MedianBlurArgs& args = {}) {
  return Call("experimental.median_blur", {input}, args.common).arg("window_size", args.window_size).add(graph).front();
}

}  // namespace experimental

}  // namespace penstock::fn
