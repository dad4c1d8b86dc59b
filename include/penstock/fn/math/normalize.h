// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of normalize().
struct NormalizeArgs {
  /// Axes to reduce; by default all, or those along which `mean` or `stddev` has extent 1. Default: `{}`.
  Constant<Ints> axes = {};
  /// Letters of the axes to reduce. Excludes `axes`. Default: `""`.
  Constant<std::string> axis_names = {};
  /// Take the statistics over the whole batch. Default: `false`.
  Constant<bool> batch = {};
  /// Subtracted from the number of elements in the variance, which is 0 where none are left. Default: `0`.
  Constant<int64_t> ddof = {};
  /// FLOAT, or an integer of up to 32 bits. Default: `DType::kFloat`.
  Constant<DType> dtype = {};
  /// Added to the variance. Default: `0.0`.
  Constant<double> epsilon = {};
  /// A number, or a tensor with extent 1 along reduced axes; None: the data's. Default: `{}`.
  Arg<Floats> mean = {};
  /// Multiplies the normalized value. Default: `1.0`.
  Constant<double> scale = {};
  /// Added to the result; useful for unsigned types. Default: `0.0`.
  Constant<double> shift = {};
  /// A number, or a tensor like `mean`; None: the data's. Default: `{}`.
  Arg<Floats> stddev = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift.
/// @param data  Integers of up to 32 bits, or float.
/// @return Shape and layout as the input.
inline Node normalize(Graph& graph, Node data, const NormalizeArgs& args = {}) {
  return Call("normalize", {data}, args.common)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("batch", args.batch)
      .arg("ddof", args.ddof)
      .arg("dtype", args.dtype)
      .arg("epsilon", args.epsilon)
      .arg("mean", args.mean)
      .arg("scale", args.scale)
      .arg("shift", args.shift)
      .arg("stddev", args.stddev)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
