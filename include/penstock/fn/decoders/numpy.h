// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace decoders {

/// Arguments of numpy().
struct NumpyArgs {
  /// Type that the elements are converted to.
  Constant<DType> dtype = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Decodes NumPy's files of one array (.npy). Arrays in Fortran order come in C order.
/// @param encoded  The bytes of the file: uint8, one dimension.
/// @return The array in its shape and, without `dtype`, in its type.
inline Node numpy(Graph& graph, Node encoded, const NumpyArgs& args = {}) {
  return Call("decoders.numpy", {encoded}, args.common).arg("dtype", args.dtype).add(graph).front();
}

}  // namespace decoders

}  // namespace penstock::fn
