// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

struct MultiPasteArgs {
  Constant<DType> dtype = {};
  Arg<Ints> in_anchors = {};
  Arg<Floats> in_anchors_rel = {};
  Arg<Ints> in_ids = {};
  Arg<Ints> out_anchors = {};
  Arg<Floats> out_anchors_rel = {};
  Arg<Ints> output_size = {};
  Arg<Ints> shapes = {};
  Arg<Floats> shapes_rel = {};
  CommonArgs common = {};
};
/// Pastes regions of several pictures onto each canvas, one over the other: of samples of a batch that `in_ids` names,
/// or of the samples at the same place of several inputs. What nothing is pasted on is 0.
inline Node multi_paste(Graph& graph, std::vector<Node> images, const MultiPasteArgs& args = {}) {
  return Call("multi_paste", std::move(images), args.common)
      .arg("dtype", args.dtype)
      .arg("in_anchors", args.in_anchors)
      .arg("in_anchors_rel", args.in_anchors_rel)
      .arg("in_ids", args.in_ids)
      .arg("out_anchors", args.out_anchors)
      .arg("out_anchors_rel", args.out_anchors_rel)
      .arg("output_size", args.output_size)
      .arg("shapes", args.shapes)
      .arg("shapes_rel", args.shapes_rel)
      .add(graph)
      .front();
}

}  // namespace penstock::fn
