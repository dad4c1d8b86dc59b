// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of ones_like().
struct OnesLikeArgs {
  /// Type of the tensor; the input's when not given.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// A tensor full of ones with the shape and layout of another.
/// @param data_like  Tensor whose shape, layout and, without `dtype`, type are taken.
/// @return The filled tensor.
inline Node ones_like(Graph& graph, Node data_like, const OnesLikeArgs& args = {}) {
  return Call("ones_like", {data_like}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
