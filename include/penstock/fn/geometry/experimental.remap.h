// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

struct RemapArgs {
  Constant<std::string> border_mode = {};
  Constant<Floats> fill_value = {};
  Constant<InterpType> interp = {};
  Constant<std::string> pixel_origin = {};
  CommonArgs common = {};
};
/// Looks pictures up at places that two maps say: result(x, y) = input(mapx(x, y), mapy(x, y)). The result has the
/// maps' rows and columns. A place that is NaN lies outside, left of and above the picture.
inline Node remap(Graph& graph, Node input, Node mapx, Node mapy, const RemapArgs& args = {}) {
  return Call("experimental.remap", {input, mapx, mapy}, args.common)
      .arg("border_mode", args.border_mode)
      .arg("fill_value", args.fill_value)
      .arg("interp", args.interp)
      .arg("pixel_origin", args.pixel_origin)
      .add(graph)
      .front();
}

}  // namespace experimental

}  // namespace penstock::fn
