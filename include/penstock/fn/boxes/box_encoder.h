// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BoxEncoderArgs {
  Constant<Floats> anchors = {};
  Constant<double> criteria = {};
  Constant<Floats> means = {};
  Constant<bool> offset = {};
  Constant<double> scale = {};
  Constant<Floats> stds = {};
  CommonArgs common = {};
};
/// Gives each anchor a box, as SSD's training wants it: to the anchor that shares most with a box that box, to each
/// other one the box that it shares most with, if that is more than `criteria` of both together. Of boxes and anchors
/// that share as much the last one counts.
inline std::array<Node, 2> box_encoder(Graph& graph, Node boxes, Node labels, const BoxEncoderArgs& args = {}) {
  return Call("box_encoder", {boxes, labels}, args.common)
      .arg("anchors", args.anchors)
      .arg("criteria", args.criteria)
      .arg("means", args.means)
      .arg("offset", args.offset)
      .arg("scale", args.scale)
      .arg("stds", args.stds)
      .add<2>(graph);
}

}  // namespace penstock::fn
