// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BbFlipArgs {
  Arg<int64_t> horizontal = {};
  Constant<bool> ltrb = {};
  Arg<int64_t> vertical = {};
  CommonArgs common = {};
};
/// Flips boxes as their picture is flipped. Coordinates are parts of the picture's extents.
inline Node bb_flip(Graph& graph, Node boxes, const BbFlipArgs& args = {}) {
  return Call("bb_flip", {boxes}, args.common)
      .arg("horizontal", args.horizontal)
      .arg("ltrb", args.ltrb)
      .arg("vertical", args.vertical)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
