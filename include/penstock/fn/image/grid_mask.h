// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct GridMaskArgs {
  Arg<double> angle = {};
  Arg<double> ratio = {};
  Arg<double> shift_x = {};
  Arg<double> shift_y = {};
  Arg<int64_t> tile = {};
  CommonArgs common = {};
};
/// Clears the squares of a grid, a square a tile: a pixel becomes 0 where the fractions of its grid coordinates are
/// less than `ratio`. All frames of a sequence have the same grid.
inline Node grid_mask(Graph& graph, Node input, const GridMaskArgs& args = {}) {
  return Call("grid_mask", {input}, args.common)
      .arg("angle", args.angle)
      .arg("ratio", args.ratio)
      .arg("shift_x", args.shift_x)
      .arg("shift_y", args.shift_y)
      .arg("tile", args.tile)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
