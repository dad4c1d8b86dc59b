// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct EraseArgs {
  Arg<Floats> anchor = {};
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<bool> centered_anchor = {};
  Arg<Floats> fill_value = {};
  Constant<bool> normalized = {};
  Constant<bool> normalized_anchor = {};
  Constant<bool> normalized_shape = {};
  Arg<Floats> shape = {};
  CommonArgs common = {};
};
/// Fills one or more boxes of each sample. Boxes that stick out of a sample are cut down to it.
inline Node erase(Graph& graph, Node data, const EraseArgs& args = {}) {
  return Call("erase", {data}, args.common)
      .arg("anchor", args.anchor)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("centered_anchor", args.centered_anchor)
      .arg("fill_value", args.fill_value)
      .arg("normalized", args.normalized)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
