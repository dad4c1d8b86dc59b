// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct NormalizeArgs {
  Constant<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<bool> batch = {};
  Constant<int64_t> ddof = {};
  Constant<DType> dtype = {};
  Constant<double> epsilon = {};
  Arg<Floats> mean = {};
  Constant<double> scale = {};
  Constant<double> shift = {};
  Arg<Floats> stddev = {};
  CommonArgs common = {};
};
/// Subtracts the mean and divides by the standard deviation: scale * (x - mean) / stddev + shift.
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
