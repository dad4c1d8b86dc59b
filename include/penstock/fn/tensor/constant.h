// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ConstantArgs {
  Constant<DType> dtype = {};
  Constant<Floats> fdata = {};
  Constant<Ints> idata = {};
  Constant<std::string> layout = {};
  Constant<Ints> shape = {};
  CommonArgs common = {};
};
/// The same tensor for every sample.
inline Node constant(Graph& graph, const ConstantArgs& args = {}) {
  return Call("constant", {}, args.common)
      .arg("dtype", args.dtype)
      .arg("fdata", args.fdata)
      .arg("idata", args.idata)
      .arg("layout", args.layout)
      .arg("shape", args.shape)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
