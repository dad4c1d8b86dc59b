#include "ops/boxes/affine_rows.h"

namespace penstock {
namespace {

struct BbFlipArgs {
  int64_t horizontal = 1, vertical = 0;
  bool ltrb = false;
};

class BbFlip final : public AffineRowsOperator<BbFlipArgs> {
  void describe_rows(const TensorDesc& in, Sample& s) const override {
    describe_float_rows(in, s.out(0));
    check_boxes_of_four(in);
  }
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
  r.add<BbFlip>("bb_flip")
      .doc("Flips boxes as their picture is flipped. Coordinates are parts of the picture's extents.")
      .input("boxes", {}, "FLOAT, four numbers for each box: x, y, width, height, or as `ltrb` says.")
      .holds("boxes")
      .output("flipped", "The same boxes in the flipped picture.")
      .arg("horizontal", &BbFlipArgs::horizontal, "Mirror left to right.", kPerSample)
      .arg("vertical", &BbFlipArgs::vertical, "Mirror top to bottom.", kPerSample)
      .arg("ltrb", &BbFlipArgs::ltrb, "Boxes are left, top, right, bottom.")
      .example({{"vertical", 1}, {"ltrb", true}})
      .differs("Widths and heights stay what they are; DALI's are off by a rounding, flipped or not.");
}

}  // namespace penstock
