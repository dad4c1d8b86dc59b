// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SliceArgs {
  Arg<Ints> axes = {};
  Constant<std::string> axis_names = {};
  Constant<DType> dtype = {};
  Arg<Ints> end = {};
  Constant<Floats> fill_values = {};
  Constant<bool> normalized_anchor = {};
  Constant<bool> normalized_shape = {};
  Constant<std::string> out_of_bounds_policy = {};
  Arg<Floats> rel_end = {};
  Arg<Floats> rel_shape = {};
  Arg<Floats> rel_start = {};
  Arg<Ints> shape = {};
  Arg<Ints> start = {};
  CommonArgs common = {};
};
/// Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs.
inline Node slice(Graph& graph, Node data, std::optional<Node> anchor, std::optional<Node> shape_input,
                  const SliceArgs& args = {}) {
  return Call("slice", {data}, args.common)
      .input(anchor)
      .input(shape_input)
      .arg("axes", args.axes)
      .arg("axis_names", args.axis_names)
      .arg("dtype", args.dtype)
      .arg("end", args.end)
      .arg("fill_values", args.fill_values)
      .arg("normalized_anchor", args.normalized_anchor)
      .arg("normalized_shape", args.normalized_shape)
      .arg("out_of_bounds_policy", args.out_of_bounds_policy)
      .arg("rel_end", args.rel_end)
      .arg("rel_shape", args.rel_shape)
      .arg("rel_start", args.rel_start)
      .arg("shape", args.shape)
      .arg("start", args.start)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
