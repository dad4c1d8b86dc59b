// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct BboxRotateArgs {
  Arg<double> angle = {};
  Constant<std::string> bbox_layout = {};
  Constant<bool> bbox_normalized = {};
  Arg<Ints> input_shape = {};
  Constant<bool> keep_size = {};
  Constant<std::string> mode = {};
  Constant<double> remove_threshold = {};
  Constant<std::string> shape_layout = {};
  Arg<Floats> size = {};
  CommonArgs common = {};
};
/// Moves boxes to where `rotate` brings what they hold; give it the same `angle`, `keep_size` and `size`, and the shape
/// of the picture before. Boxes of which too little stays on the canvas are left out.
inline std::vector<Node> bbox_rotate(Graph& graph, Node boxes, std::optional<Node> labels,
                                     const BboxRotateArgs& args = {}) {
  return Call("bbox_rotate", {boxes}, args.common)
      .input(labels)
      .arg("angle", args.angle)
      .arg("bbox_layout", args.bbox_layout)
      .arg("bbox_normalized", args.bbox_normalized)
      .arg("input_shape", args.input_shape)
      .arg("keep_size", args.keep_size)
      .arg("mode", args.mode)
      .arg("remove_threshold", args.remove_threshold)
      .arg("shape_layout", args.shape_layout)
      .arg("size", args.size)
      .add(graph);
}

}  // namespace penstock::fn
