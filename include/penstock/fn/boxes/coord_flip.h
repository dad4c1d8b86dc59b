// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of coord_flip().
struct CoordFlipArgs {
  /// Where x is reflected. Default: `0.5`.
  Arg<double> center_x = {};
  /// Where y is reflected. Default: `0.5`.
  Arg<double> center_y = {};
  /// Where z is reflected. Default: `0.5`.
  Arg<double> center_z = {};
  /// Reflect x. Default: `1`.
  Arg<int64_t> flip_x = {};
  /// Reflect y. Default: `0`.
  Arg<int64_t> flip_y = {};
  /// Reflect z. Default: `0`.
  Arg<int64_t> flip_z = {};
  /// Which coordinate is which; by default x, y, z. Default: `""`.
  Constant<std::string> layout = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Reflects points at a centre, as their picture or volume is flipped.
/// @param points  FLOAT; the coordinates of a point lie along the last axis, three at most.
/// @return Shape and layout of the input.
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
