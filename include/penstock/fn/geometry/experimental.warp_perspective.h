// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace experimental {

struct WarpPerspectiveArgs {
  Constant<std::string> border_mode = {};
  Constant<Floats> fill_value = {};
  Constant<InterpType> interp_type = {};
  Constant<bool> inverse_map = {};
  Arg<Floats> matrix = {};
  Constant<std::string> pixel_origin = {};
  Arg<Floats> size = {};
  CommonArgs common = {};
};
/// Looks pictures up at the places that a homography says.
inline Node warp_perspective(Graph& graph, Node input, std::optional<Node> matrix_input,
                             const WarpPerspectiveArgs& args = {}) {
  return Call("experimental.warp_perspective", {input}, args.common)
      .input(matrix_input)
      .arg("border_mode", args.border_mode)
      .arg("fill_value", args.fill_value)
      .arg("interp_type", args.interp_type)
      .arg("inverse_map", args.inverse_map)
      .arg("matrix", args.matrix)
      .arg("pixel_origin", args.pixel_origin)
      .arg("size", args.size)
      .add(graph)
      .front();
}

}  // namespace experimental

}  // namespace penstock::fn
