// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct ClaheArgs {
  Constant<int64_t> bins = {};
  Constant<double> clip_limit = {};
  Constant<bool> luma_only = {};
  Constant<int64_t> tiles_x = {};
  Constant<int64_t> tiles_y = {};
  CommonArgs common = {};
};
/// Equalizes the histogram of each tile of a picture, with a limit to how much that raises the contrast, and mixes the
/// tiles' levels in between: OpenCV's CLAHE. Of RGB pictures the lightness of L*a*b* changes, unless `luma_only` is
/// False.
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
