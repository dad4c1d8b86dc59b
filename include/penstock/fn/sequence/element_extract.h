// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ElementExtractArgs {
  Constant<Ints> element_map = {};
  CommonArgs common = {};
};
/// Takes elements of a sequence along its first axis, each as an output of its own.
inline std::vector<Node> element_extract(Graph& graph, Node sequence, const ElementExtractArgs& args = {}) {
  return Call("element_extract", {sequence}, args.common).arg("element_map", args.element_map).add(graph);
}

}  // namespace penstock::fn
