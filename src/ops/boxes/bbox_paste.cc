#include <cmath>

#include "ops/boxes/affine_rows.h"

namespace penstock {
namespace {

struct BboxPasteArgs : BoxRowsArgs {
  float ratio = 1, paste_x = .5f, paste_y = .5f;
};

class BboxPaste final : public AffineBoxesOperator<BboxPasteArgs> {
  void map(const Sample& s, RowMap& map) const override {
    const BboxPasteArgs& a = args(s);
    PENSTOCK_CHECK(a.ratio >= 1 && std::isfinite(a.ratio), ArgumentError,
                   "`ratio` of the canvas to the picture must be 1 or more, got {}", a.ratio);
    map = RowMap::identity(4);
    const float shrink = 1 / a.ratio;
    for (int i = 0; i < 4; ++i) map.at(i, i) = shrink;
    lay(map, 0, "paste_x", a.paste_x, (a.ratio - 1) * shrink);
    lay(map, 1, "paste_y", a.paste_y, (a.ratio - 1) * shrink);
  }
  void lay(RowMap& map, size_t low, const char* name, float position, float margin) const {
    PENSTOCK_CHECK(position >= 0 && position <= 1, ArgumentError, "`{}` must lie in [0, 1], got {}", name, position);
    map.offset[low] = position * margin;
    if (constants().ltrb) map.offset[low + 2] = position * margin;
  }
};

}  // namespace

[[gnu::cold]] void register_bbox_paste(Registry& r) {
  auto op = r.add<BboxPaste>("bbox_paste");
  op.doc("Moves boxes to where `paste` lays their picture on a larger canvas; give it the same arguments.")
      .input("boxes", {}, "FLOAT, four numbers for each box: x, y, width, height, or as `ltrb` says.")
      .holds("boxes")
      .output("boxes", "The same boxes, in parts of the canvas's extents.")
      .arg("ratio", &BboxPasteArgs::ratio, "Extent of the canvas to that of the picture, 1 or more.",
           kPerSample | kRequired)
      .arg("paste_x", &BboxPasteArgs::paste_x, "Where the picture lies: 0 at the left edge, 1 at the right.",
           kPerSample)
      .arg("paste_y", &BboxPasteArgs::paste_y, "Where the picture lies: 0 at the top, 1 at the bottom.", kPerSample)
      .example({{"ratio", 1.7}, {"paste_x", 0.25}})
      .differs("`ratio` below 1 and positions outside [0, 1] are refused, as `paste` refuses them.")
      .differs("Boxes that are not finite are refused, unless `check_boxes` is False, as it is in `penstock.dali`.");
  add_box_rows_args(op);
}

}  // namespace penstock
