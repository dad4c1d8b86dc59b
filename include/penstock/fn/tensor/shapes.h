// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of shapes().
struct ShapesArgs {
  /// Type of the list: int32, uint32, int64, uint64, float or double. Default: `DType::kInt64`.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The shape of each sample.
/// @param data  Tensor of any shape and type.
/// @return A list with one extent an axis.
inline Node shapes(Graph& graph, Node data, const ShapesArgs& args = {}) {
  return Call("shapes", {data}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace penstock::fn
