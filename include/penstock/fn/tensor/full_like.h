// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of full_like().
struct FullLikeArgs {
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// A tensor of the shape, type and layout of another, filled with a value.
/// @param data_like  Tensor whose shape, type and layout are taken.
/// @param fill_value  The value: a scalar, or a tensor that broadcasts to the shape.
/// @return The filled tensor.
inline Node full_like(Graph& graph, Node data_like, Node fill_value, const FullLikeArgs& args = {}) {
  return Call("full_like", {data_like, fill_value}, args.common).add(graph).front();
}

}  // namespace penstock::fn
