// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

/// Arguments of select_masks().
struct SelectMasksArgs {
  /// Keeps only the last polygon of a mask that has several, as DALI does. Default: `false`.
  Constant<bool> last_polygon = {};
  /// Masks are called by their places in `mask_ids`. Default: `false`.
  Constant<bool> reindex_masks = {};
  /// Name, device and whether it stays unread.
  CommonArgs common = {};
};
/// Takes the polygons of some masks, in the order in which the masks are named, as `readers.coco` gives them.
/// @param mask_ids  List of integers: the masks to take, each once.
/// @param polygons  Integers, three a row: mask, first vertex, the vertex behind the last one.
/// @param vertices  A row of coordinates for each vertex, of any type.
/// @return in this order:
/// - `polygons`: int32: the rows of the masks taken, with the vertices' new numbers.
/// - `vertices`: Their vertices.
inline std::array<Node, 2> select_masks(Graph& graph, Node mask_ids, Node polygons, Node vertices,
                                        const SelectMasksArgs& args = {}) {
  return Call("segmentation.select_masks", {mask_ids, polygons, vertices}, args.common)
      .arg("last_polygon", args.last_polygon)
      .arg("reindex_masks", args.reindex_masks)
      .add<2>(graph);
}

}  // namespace segmentation

}  // namespace penstock::fn
