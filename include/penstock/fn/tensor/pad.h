// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct PadArgs {
  Arg<Ints> align = {};
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Arg<double> fill_value = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// Pads at the end of axes: to a shape, to a multiple, or else to the largest sample of the batch.
inline Node pad(Graph& graph, Node data, const PadArgs& args = {}) {
  return Call("pad", {data}, args.common)
      .arg("align", args.align)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("fill_value", args.fill_value)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
