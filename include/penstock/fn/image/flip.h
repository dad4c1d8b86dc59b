// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of flip().
struct FlipArgs {
  /// Mirror front to back. Default: `0`.
  Arg<int64_t> depthwise = {};
  /// Mirror left to right. Default: `1`.
  Arg<int64_t> horizontal = {};
  /// Mirror top to bottom. Default: `0`.
  Arg<int64_t> vertical = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Mirrors images and volumes along any of their axes.
/// @param images  Images or volumes. Layouts: FDHWC, FHWC, DHWC, HWC, FCDHW, FCHW, CDHW, CHW.
/// @return Shape, type and layout as the input.
inline Node flip(Graph& graph, Node images, const FlipArgs& args = {}) {
  return Call("flip", {images}, args.common)
      .arg("depthwise", args.depthwise)
      .arg("horizontal", args.horizontal)
      .arg("vertical", args.vertical)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
