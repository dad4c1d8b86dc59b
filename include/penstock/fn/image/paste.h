// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PasteArgs {
  Constant<Floats> fill_value = {};
  Arg<double> min_canvas_size = {};
  Constant<int64_t> n_channels = {};
  Arg<double> paste_x = {};
  Arg<double> paste_y = {};
  Arg<double> ratio = {};
  CommonArgs common = {};
};
/// Lays each picture on a larger canvas of one colour.
inline Node paste(Graph& graph, Node images, const PasteArgs& args = {}) {
  return Call("paste", {images}, args.common)
      .arg("fill_value", args.fill_value)
      .arg("min_canvas_size", args.min_canvas_size)
      .arg("n_channels", args.n_channels)
      .arg("paste_x", args.paste_x)
      .arg("paste_y", args.paste_y)
      .arg("ratio", args.ratio)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
