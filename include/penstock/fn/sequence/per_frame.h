// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of per_frame().
struct PerFrameArgs {
  /// Replaces the first letter of the layout; otherwise it must be F. Default: `false`.
  Constant<bool> replace = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Marks a tensor as a sequence along its first axis and touches no data. Operators take such tensors for arguments of
/// which each frame of a sequence has its own.
/// @param values  Tensor of any type with at least one axis.
/// @return The same with a layout that begins with F: `F**` where it had none.
inline Node per_frame(Graph& graph, Node values, const PerFrameArgs& args = {}) {
  return Call("per_frame", {values}, args.common).arg("replace", args.replace).add(graph).front();
}

}  // namespace penstock::fn
