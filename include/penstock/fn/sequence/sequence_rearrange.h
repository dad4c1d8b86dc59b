// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of sequence_rearrange().
struct SequenceRearrangeArgs {
  /// Numbers of elements. They may repeat, and elements may be left out. Required.
  Arg<Ints> new_order = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Puts the elements of a sequence, which lie along its first axis, in another order.
/// @param sequence  Tensor of any type with at least one axis; the layout, where there is one, begins with F.
/// @return Element `i` is the input's element `new_order[i]`.
inline Node sequence_rearrange(Graph& graph, Node sequence, const SequenceRearrangeArgs& args = {}) {
  return Call("sequence_rearrange", {sequence}, args.common).arg("new_order", args.new_order).add(graph).front();
}

}  // namespace penstock::fn
