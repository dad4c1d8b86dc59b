// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace transforms {

struct TranslationArgs {
  Arg<Floats> offset = {};
  Constant<bool> reverse_order = {};
  CommonArgs common = {};
};
/// Makes the matrix of a translation.
inline Node translation(Graph& graph, std::optional<Node> matrix, const TranslationArgs& args = {}) {
  return Call("transforms.translation", {}, args.common)
      .input(matrix)
      .arg("offset", args.offset)
      .arg("reverse_order", args.reverse_order)
      .add(graph)
      .front();
}

}  // namespace transforms

}  // namespace penstock::fn
