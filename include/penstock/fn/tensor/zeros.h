// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ZerosArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of zeros.
inline Node zeros(Graph& graph, const ZerosArgs& args = {}) {
  return Call("zeros", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
