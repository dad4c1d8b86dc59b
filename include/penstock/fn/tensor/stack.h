// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct StackArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  CommonArgs common = {};
};
/// Joins tensors along a new axis.
inline Node stack(Graph& graph, std::vector<Node> input, const StackArgs& args = {}) {
  return Call("stack", std::move(input), args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
