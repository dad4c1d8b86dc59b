// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of transpose().
struct TransposeArgs {
  /// Layout of the output; overrides `transpose_layout`.
  Constant<std::string> output_layout = {};
  /// Input axis of each output axis. Reverses the axes when not given.
  Constant<Ints> perm = {};
  /// Whether the layout is permuted with the axes. Default: `true`.
  Constant<bool> transpose_layout = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Permutes the axes.
/// @param data  Tensor of any shape and type.
/// @return The same elements with permuted axes.
inline Node transpose(Graph& graph, Node data, const TransposeArgs& args = {}) {
  return Call("transpose", {data}, args.common)
      .arg("output_layout", args.output_layout)
      .arg("perm", args.perm)
      .arg("transpose_layout", args.transpose_layout)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
