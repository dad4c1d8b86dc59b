// Written by tools/gen_api.py from the operators' schemas: change those, then `make generated`.
#pragma once

#include <penstock/arg.h>
#include <penstock/dtype.h>
#include <penstock/types.h>

namespace penstock::fn {

namespace segmentation {

struct SelectMasksArgs {
  Constant<bool> last_polygon = {};
  Constant<bool> reindex_masks = {};
  CommonArgs common = {};
};
/// Takes the polygons of some masks, in the order in which the masks are named, as `readers.coco` gives them.
inline std::array<Node, 2> select_masks(Graph& graph, Node mask_ids, Node polygons, Node vertices,
                                        const SelectMasksArgs& args = {}) {
  return Call("segmentation.select_masks", {mask_ids, polygons, vertices}, args.common)
      .arg("last_polygon", args.last_polygon)
      .arg("reindex_masks", args.reindex_masks)
      .add<2>(graph);
}

}  // namespace segmentation

}  // namespace penstock::fn
