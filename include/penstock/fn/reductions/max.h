// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace reductions {

/// Arguments of max().
struct MaxArgs {
  /// Axes to reduce; negative ones count from the last. All when not given. Default: `{}`.
  Constant<Ints> axes = {};
  /// The same by letters of the layout. Default: `""`.
  Constant<std::string> axis_names = {};
  /// Whether reduced axes stay, with one element. Default: `false`.
  Constant<bool> keep_dims = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Finds the largest element. NaN counts as such.
/// @param data  Tensor of any shape and type.
/// @return Of the input's type; of no elements the lowest value that it has.
inline Node max(Graph& graph, Node data, const MaxArgs& args = {}) {
  return Call("reductions.max", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("keep_dims", args.keep_dims)
      .add(graph)
      .front();
}

}  // namespace reductions

}  // namespace penstock::fn
