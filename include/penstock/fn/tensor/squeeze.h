// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of squeeze().
struct SqueezeArgs {
  /// Axes to remove. Excludes `axis_names`. Default: `{}`.
  Arg<Ints> axes = {};
  /// Letters of the axes to remove. Excludes `axes`. Default: `""`.
  Constant<std::string> axis_names = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Removes axes of extent 1, of a tensor without elements any that leave it without, and touches no data.
/// @param data  Tensor of any shape and type.
/// @return The same data with fewer axes.
inline Node squeeze(Graph& graph, Node data, const SqueezeArgs& args = {}) {
  return Call("squeeze", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
