// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct FilterArgs {
  Arg<Ints> anchor = {};
  Constant<std::string> border = {};
  Constant<DType> dtype = {};
  Constant<std::string> mode = {};
  CommonArgs common = {};
};
/// Correlates pictures, volumes or every frame of a sequence with a filter: each result is the sum of the elements
/// under the filter, which is not turned, times its weights. Sums are made in float.
inline Node filter(Graph& graph, Node data, Node filter, std::optional<Node> fill_value, const FilterArgs& args = {}) {
  return Call("filter", {data, filter}, args.common)
      .input(fill_value)
      .arg("anchor", args.anchor)
      .arg("border", args.border)
      .arg("dtype", args.dtype)
      .arg("mode", args.mode)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
