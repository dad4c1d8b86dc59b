// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

struct ScaleArgs {
  Arg<Floats> center = {};
  Constant<int64_t> ndim = {};
  Constant<bool> reverse_order = {};
  Arg<Floats> scale = {};
  CommonArgs common = {};
};
/// Makes the matrix of a scaling.
inline Node scale(Graph& graph, std::optional<Node> matrix, const ScaleArgs& args = {}) {
  return Call("transforms.scale", {}, args.common)
      .input(matrix)
      .arg("center", args.center)
      .arg("ndim", args.ndim)
      .arg("reverse_order", args.reverse_order)
      .arg("scale", args.scale)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
