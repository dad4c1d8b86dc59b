// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of clahe().
struct ClaheArgs {
  /// 256. Default: `256`.
  Constant<int64_t> bins = {};
  /// How often a level may occur in a tile, in multiples of what all have when they are equally frequent; what is more
  /// goes to all levels. 0: without limit. Required.
  Constant<double> clip_limit = {};
  /// False: each channel of RGB pictures is equalized by itself. Default: `true`.
  Constant<bool> luma_only = {};
  /// Tiles side by side, 1 to 1024. Required.
  Constant<int64_t> tiles_x = {};
  /// Tiles one below the other, 1 to 1024. Required.
  Constant<int64_t> tiles_y = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Equalizes the histogram of each tile of a picture, with a limit to how much that raises the contrast, and mixes the
/// tiles' levels in between: OpenCV's CLAHE. Of RGB pictures the lightness of L\*a\*b* changes, unless `luma_only` is
/// False.
/// @param input  uint8, gray or RGB. Layouts: HWC, HW.
/// @return Shape, layout and type of the input.
inline Node clahe(Graph& graph, Node input, const ClaheArgs& args = {}) {
  return Call("clahe", {input}, args.common)
      .arg("bins", args.bins)
      .arg("clip_limit", args.clip_limit)
      .arg("luma_only", args.luma_only)
      .arg("tiles_x", args.tiles_x)
      .arg("tiles_y", args.tiles_y)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
