// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of element_extract().
struct ElementExtractArgs {
  /// Numbers of the elements, from 0 on. Required.
  Constant<Ints> element_map = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Takes elements of a sequence along its first axis, each as an output of its own.
/// @param sequence  Tensor of any type with at least one axis; the layout, where there is one, begins with F.
/// @return in this order:
/// - `element`: An output for each number in `element_map`: the element without the first axis.
inline std::vector<Node> element_extract(Graph& graph, Node sequence, const ElementExtractArgs& args = {}) {
  return Call("element_extract", {sequence}, args.common).arg("element_map", args.element_map).add(graph);
}

}  // namespace penstock::fn
