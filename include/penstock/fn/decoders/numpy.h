// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

struct NumpyArgs {
  Constant<DType> dtype = {};
  CommonArgs common = {};
};
/// Decodes NumPy's files of one array (.npy). Arrays in Fortran order come in C order.
inline Node numpy(Graph& graph, Node encoded, const NumpyArgs& args = {}) {
  return Call("decoders.numpy", {encoded}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace decoders

}  // namespace penstock::fn
