// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of paste().
struct PasteArgs {
  /// The canvas's colour: a value per channel, or one for all. Required.
  Constant<Floats> fill_value = {};
  /// Extent in pixels that the canvas has at least. Default: `0.0`.
  Arg<double> min_canvas_size = {};
  /// Channels of the pictures. Default: `3`.
  Constant<int64_t> n_channels = {};
  /// Where the picture lies: 0 at the left edge, 1 at the right. Default: `0.5`.
  Arg<double> paste_x = {};
  /// Where the picture lies: 0 at the top, 1 at the bottom. Default: `0.5`.
  Arg<double> paste_y = {};
  /// Extent of the canvas to that of the picture, 1 or more. Required.
  Arg<double> ratio = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Lays each picture on a larger canvas of one colour.
/// @param images  Pictures of UINT8. Layouts: HWC.
/// @return Pictures whose extents are those of the input times `ratio`, fractions dropped.
inline Node paste(Graph& graph, Node images, const PasteArgs& args = {}) {
  return Call("paste", {images}, args.common)
      .arg("fill_value", args.fill_value)
      .arg("min_canvas_size", args.min_canvas_size)
      .arg("n_channels", args.n_channels)
      .arg("paste_x", args.paste_x)
      .arg("paste_y", args.paste_y)
      .arg("ratio", args.ratio)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
