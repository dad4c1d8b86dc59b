// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ReinterpretArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Floats> rel_shape = {};
  Arg<Ints> shape = {};
  Arg<Ints> src_dims = {};
  CommonArgs common = {};
};
/// Reads the bytes of a tensor as another type, and gives it another shape or layout.
inline Node reinterpret(Graph& graph, Node data, std::optional<Node> shape_input, const ReinterpretArgs& args = {}) {
  return Call("reinterpret", {data}, args.common)
      .input(shape_input)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("rel_shape", args.rel_shape)
      .arg("shape", args.shape)
      .arg("src_dims", args.src_dims)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
