// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of stack().
struct StackArgs {
  /// Position of the new axis; negative ones count from the back. Default: `0`.
  Constant<int64_t> axis = {};
  /// Letter of the new axis in the layout. Without it the layout is cleared.
  Constant<std::string> axis_name = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Joins tensors along a new axis.
/// @param input  Tensors of one type and shape.
/// @return A tensor with one axis more.
inline Node stack(Graph& graph, std::vector<Node> input, const StackArgs& args = {}) {
  return Call("stack", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
