// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ConnectedComponentsArgs {
  Arg<int64_t> background = {};
  Arg<int64_t> connectivity = {};
  CommonArgs common = {};
};
/// Numbers the connected components of a label map: sets of neighbours of equal label, counted from 1 in the order of
/// their first elements.
inline std::array<Node, 2> connected_components(Graph& graph, Node labels, const ConnectedComponentsArgs& args = {}) {
  return Call("connected_components", {labels}, args.common)
      .arg("background", args.background)
      .arg("connectivity", args.connectivity)
      .add<2>(graph);
}

}  // namespace penstock::fn
