// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BboxPasteArgs {
  Constant<bool> ltrb = {};
  Arg<double> paste_x = {};
  Arg<double> paste_y = {};
  Arg<double> ratio = {};
  CommonArgs common = {};
};
/// Moves boxes to where `paste` lays their picture on a larger canvas; give it the same arguments.
inline Node bbox_paste(Graph& graph, Node boxes, const BboxPasteArgs& args = {}) {
  return Call("bbox_paste", {boxes}, args.common)
      .arg("ltrb", args.ltrb)
      .arg("paste_x", args.paste_x)
      .arg("paste_y", args.paste_y)
      .arg("ratio", args.ratio)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
