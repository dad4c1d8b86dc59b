// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct OnesArgs {
  Constant<DType> dtype = {};
  Constant<std::string> layout = {};
  Arg<Ints> shape = {};
  CommonArgs common = {};
};
/// A tensor full of ones.
inline Node ones(Graph& graph, const OnesArgs& args = {}) {
  return Call("ones", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
