// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of grid_mask().
struct GridMaskArgs {
  /// Radians by which the grid is turned around the first pixel. Default: `0.0`.
  Arg<double> angle = {};
  /// Extent of the square, as a share of the tile's: 0 to 1. Default: `0.5`.
  Arg<double> ratio = {};
  /// Pixels by which the turned grid is moved along its first axis. Default: `0.0`.
  Arg<double> shift_x = {};
  /// Likewise along its second axis. Default: `0.0`.
  Arg<double> shift_y = {};
  /// Extent of a tile, the square and the gap behind it, in pixels. Default: `100`.
  Arg<int64_t> tile = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Clears the squares of a grid, a square a tile: a pixel becomes 0 where the fractions of its grid coordinates are
/// less than `ratio`. All frames of a sequence have the same grid.
/// @param input  Any type. Layouts: HWC, FHWC, HW, CHW, FCHW.
/// @return Shape, layout and type of the input.
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
