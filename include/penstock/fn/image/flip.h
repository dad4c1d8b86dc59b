// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct FlipArgs {
  Arg<int64_t> depthwise = {};
  Arg<int64_t> horizontal = {};
  Arg<int64_t> vertical = {};
  CommonArgs common = {};
};
/// Mirrors images and volumes along any of their axes.
inline Node flip(Graph& graph, Node images, const FlipArgs& args = {}) {
  return Call("flip", {images}, args.common)
      .arg("depthwise", args.depthwise)
      .arg("horizontal", args.horizontal)
      .arg("vertical", args.vertical)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
