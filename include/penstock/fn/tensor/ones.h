// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of ones().
struct OnesArgs {
  /// Type of the tensor. Default: `DType::kInt32`.
  Constant<DType> dtype = {};
  /// Layout of the tensor.
  Constant<std::string> layout = {};
  /// Shape of the tensor; a scalar when not given.
  Arg<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// A tensor full of ones.
/// @return The filled tensor.
inline Node ones(Graph& graph, const OnesArgs& args = {}) {
  return Call("ones", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
