// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of constant().
struct ConstantArgs {
  /// Type of the tensor: float or int32, after the values, when not given.
  Constant<DType> dtype = {};
  /// Floating-point values. Excludes `idata`. Default: `{}`.
  Constant<Floats> fdata = {};
  /// Integer values. Excludes `fdata`. Default: `{}`.
  Constant<Ints> idata = {};
  /// Layout of the tensor. Default: `""`.
  Constant<std::string> layout = {};
  /// Shape of the tensor; one value fills it. A list when not given.
  Constant<Ints> shape = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// The same tensor for every sample.
/// @return The constant.
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
