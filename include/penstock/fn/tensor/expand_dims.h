// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ExpandDimsArgs {
  Constant<Ints> axes = {};
  Constant<std::string> new_axis_names = {};
  CommonArgs common = {};
};
/// Inserts axes of extent 1 without touching the data.
inline Node expand_dims(Graph& graph, Node data, const ExpandDimsArgs& args = {}) {
  return Call("expand_dims", {data}, args.common)
      .arg("axes", args.axes)
      .arg("new_axis_names", args.new_axis_names)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
