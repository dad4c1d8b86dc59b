// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

/// Arguments of combine().
struct CombineArgs {
  /// Whether the last transform is applied first. Default: `false`.
  Constant<bool> reverse_order = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Combines two or more transforms into the one that applies them in that order.
/// @param matrices  Transforms of the same number of axes: FLOAT, n rows of n + 1 numbers.
/// @return FLOAT, n rows of n + 1 numbers.
inline Node combine(Graph& graph, std::vector<Node> matrices, const CombineArgs& args = {}) {
  return Call("transforms.combine", std::move(matrices), args.common)
      .arg("reverse_order", args.reverse_order)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
