// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

/// Arguments of multi_paste().
struct MultiPasteArgs {
  /// Type of the canvas; by default that of the pictures.
  Constant<DType> dtype = {};
  /// Where regions begin: y and x in the picture, for each region.
  Arg<Ints> in_anchors = {};
  /// The same in parts of the picture's extents.
  Arg<Floats> in_anchors_rel = {};
  /// For each sample: which samples of the batch are pasted, in that order.
  Arg<Ints> in_ids = {};
  /// Where regions go: y and x on the canvas, for each region.
  Arg<Ints> out_anchors = {};
  /// The same in parts of the canvas's extents.
  Arg<Floats> out_anchors_rel = {};
  /// Height and width of the canvas; by default those of the pictures, if all have one shape.
  Arg<Ints> output_size = {};
  /// Height and width of each region; by default all of the picture from where it begins.
  Arg<Ints> shapes = {};
  /// The same in parts of the picture's extents.
  Arg<Floats> shapes_rel = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Pastes regions of several pictures onto each canvas, one over the other: of samples of a batch that `in_ids` names,
/// or of the samples at the same place of several inputs. What nothing is pasted on is 0.
/// @param images  Pictures of one type. Layouts: HWC, FHWC.
/// @return Pictures of `output_size`.
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
