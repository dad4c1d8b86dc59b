// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ReshapeArgs {
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Gives a tensor another shape or layout without touching its data.
inline Node reshape(Graph& graph, Node data, std::optional<Node> shape_input, const ReshapeArgs& args = {}) {
  return Call("reshape", {data}, args.common)
      .input(shape_input)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
