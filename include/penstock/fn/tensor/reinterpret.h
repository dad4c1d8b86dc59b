// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of reinterpret().
struct ReinterpretArgs {
  /// Type to read the bytes as. Without a new shape the innermost extent is adapted.
  Constant<DType> dtype = {};
  /// Layout of the output. When it is not given the input's stays if the number of axes does.
  Constant<std::string> layout = {};
  /// The new shape as multiples of the input's extents. One entry may be negative: it is inferred.
  Arg<Floats> rel_shape = {};
  /// The new shape. One extent may be negative: it is inferred from the others.
  Arg<Ints> shape = {};
  /// Which input axis each output axis takes its extent from; -1 inserts an axis of extent 1.
  Arg<Ints> src_dims = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Reads the bytes of a tensor as another type, and gives it another shape or layout.
/// @param data  Tensor of any shape and type.
/// @param shape_input  The new shape, one integer an axis. May be left out: `{}`.
/// @return The same bytes under another shape.
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
