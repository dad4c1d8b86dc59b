// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct CoordFlipArgs {
  Arg<double> center_x = {};
  Arg<double> center_y = {};
  Arg<double> center_z = {};
  Arg<int64_t> flip_x = {};
  Arg<int64_t> flip_y = {};
  Arg<int64_t> flip_z = {};
  Constant<std::string> layout = {};
  CommonArgs common = {};
};
/// Reflects points at a centre, as their picture or volume is flipped.
inline Node coord_flip(Graph& graph, Node points, const CoordFlipArgs& args = {}) {
  return Call("coord_flip", {points}, args.common)
      .arg("center_x", args.center_x)
      .arg("center_y", args.center_y)
      .arg("center_z", args.center_z)
      .arg("flip_x", args.flip_x)
      .arg("flip_y", args.flip_y)
      .arg("flip_z", args.flip_z)
      .arg("layout", args.layout)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
