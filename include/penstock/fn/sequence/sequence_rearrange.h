// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct SequenceRearrangeArgs {
  Arg<Ints> new_order = {};
  CommonArgs common = {};
};
/// Puts the elements of a sequence, which lie along its first axis, in another order.
inline Node sequence_rearrange(Graph& graph, Node sequence, const SequenceRearrangeArgs& args = {}) {
  return Call("sequence_rearrange", {sequence}, args.common).arg("new_order", args.new_order).add(graph).front();
}

}  // namespace penstock::fn
