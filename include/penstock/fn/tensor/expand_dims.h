// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of expand_dims().
struct ExpandDimsArgs {
  /// Positions of the new axes, counted in the output. Required.
  Constant<Ints> axes = {};
  /// Letters of the new axes in the layout. Without them the layout is cleared. Default: `""`.
  Constant<std::string> new_axis_names = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Inserts axes of extent 1 without touching the data.
/// @param data  Tensor of any shape and type.
/// @return The same data with more axes.
inline Node expand_dims(Graph& graph, Node data, const ExpandDimsArgs& args = {}) {
  return Call("expand_dims", {data}, args.common)
      .arg("axes", args.axes)
      .arg("new_axis_names", args.new_axis_names)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
