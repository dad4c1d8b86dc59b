// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of cat().
struct CatArgs {
  /// Axis to join along; negative ones count from the back. Excludes `axis_name`. Default: `0`.
  Constant<int64_t> axis = {};
  /// Letter of the axis to join along. Excludes `axis`.
  Constant<std::string> axis_name = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Joins tensors along an axis that they have.
/// @param input  Tensors of one type that differ in their extent along the axis only. Of several layouts the first
/// counts.
/// @return The joined tensor.
inline Node cat(Graph& graph, std::vector<Node> input, const CatArgs& args = {}) {
  return Call("cat", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
