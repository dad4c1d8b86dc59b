// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of full().
struct FullArgs {
  /// Layout of the tensor.
  Constant<std::string> layout = {};
  /// Shape of the tensor; the value's when not given.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// A tensor filled with a value, repeated by the rules of broadcasting.
/// @param fill_value  The value: a scalar, or a tensor that broadcasts to the shape.
/// @return The filled tensor, of the value's type.
inline Node full(Graph& graph, Node fill_value, const FullArgs& args = {}) {
  return Call("full", {fill_value}, args.common).arg("layout", args.layout).arg("shape", args.shape).add(graph).front();
}

}  // namespace penstock::fn
