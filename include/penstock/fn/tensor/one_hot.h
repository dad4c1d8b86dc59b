// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct OneHotArgs {
  Constant<int64_t> axis = {};
  Constant<std::string> axis_name = {};
  Constant<DType> dtype = {};
  Constant<int64_t> num_classes = {};
  Constant<double> off_value = {};
  Constant<double> on_value = {};
  CommonArgs common = {};
};
/// Gives each label a vector that is `on_value` at the label's place. Without `axis`, a label of one element becomes a
/// vector whatever its number of axes.
inline Node one_hot(Graph& graph, Node labels, const OneHotArgs& args = {}) {
  return Call("one_hot", {labels}, args.common)
      .arg("axis", args.axis)
      .arg("axis_name", args.axis_name)
      .arg("dtype", args.dtype)
      .arg("num_classes", args.num_classes)
      .arg("off_value", args.off_value)
      .arg("on_value", args.on_value)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
