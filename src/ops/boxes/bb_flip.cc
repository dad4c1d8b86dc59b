#include "ops/boxes/affine_rows.h"

namespace penstock {
namespace {

struct BbFlipArgs : BoxRowsArgs {
  int64_t horizontal = 1, vertical = 0;
};

class BbFlip final : public AffineBoxesOperator<BbFlipArgs> {
  void map(const Sample& s, RowMap& map) const override {
    map = RowMap::identity(4);
    if (args(s).horizontal != 0) flip(map, 0);
    if (args(s).vertical != 0) flip(map, 1);
  }
  /// The low end is where the high end was, seen from the other side.
  void flip(RowMap& map, int low) const {
    const int high = low + 2;
    map.offset[static_cast<size_t>(low)] = 1;
    map.at(low, high) = -1;
    if (!constants().ltrb) {
      map.at(low, low) = -1;
      return;
    }
    map.at(low, low) = 0;
    map.offset[static_cast<size_t>(high)] = 1;
    map.at(high, low) = -1;
    map.at(high, high) = 0;
  }
};

}  // namespace

[[gnu::cold]] void register_bb_flip(Registry& r) {
  auto op = r.add<BbFlip>("bb_flip");
  op.doc("Flips boxes as their picture is flipped. Coordinates are parts of the picture's extents.")
      .input("boxes", {}, "FLOAT, four numbers for each box: x, y, width, height, or as `ltrb` says.")
      .holds("boxes")
      .output("flipped", "The same boxes in the flipped picture.")
      .arg("horizontal", &BbFlipArgs::horizontal, "Mirror left to right.", kPerSample)
      .arg("vertical", &BbFlipArgs::vertical, "Mirror top to bottom.", kPerSample)
      .example({{"vertical", 1}, {"ltrb", true}})
      .differs("Widths and heights stay what they are; DALI's are off by a rounding, flipped or not.")
      .differs("Boxes that are not finite are refused, unless `check_boxes` is False, as it is in `penstock.dali`.");
  add_box_rows_args(op);
}

}  // namespace penstock
