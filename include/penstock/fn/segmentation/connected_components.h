// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of connected_components().
struct ConnectedComponentsArgs {
  /// Label that belongs to no component. Default: `0`.
  Arg<int64_t> background = {};
  /// Neighbours differ by at most 1 along at most so many axes: of pictures, 1 means four neighbours and 2 eight. As in
  /// scipy.ndimage.generate_binary_structure. Default: `1`.
  Arg<int64_t> connectivity = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Numbers the connected components of a label map: sets of neighbours of equal label, counted from 1 in the order of
/// their first elements.
/// @param labels  Label map of any number of axes: integers or bools.
/// @return in this order:
/// - `components`: int32, shape and layout of the input: each element's component, 0 for the background.
/// - `count`: int32 scalar: how many there are.
inline std::array<Node, 2> connected_components(Graph& graph, Node labels, const ConnectedComponentsArgs& args = {}) {
  return Call("connected_components", {labels}, args.common)
      .arg("background", args.background)
      .arg("connectivity", args.connectivity)
      .add<2>(graph);
}

}  // namespace penstock::fn
