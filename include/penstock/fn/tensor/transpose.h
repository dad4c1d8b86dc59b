// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct TransposeArgs {
  Constant<std::string> output_layout = {};
  Constant<Ints> perm = {};
  Constant<bool> transpose_layout = {};
  CommonArgs common = {};
};
/// Permutes the axes.
inline Node transpose(Graph& graph, Node data, const TransposeArgs& args = {}) {
  return Call("transpose", {data}, args.common)
      .arg("output_layout", args.output_layout)
      .arg("perm", args.perm)
      .arg("transpose_layout", args.transpose_layout)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
