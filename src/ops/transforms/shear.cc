#include <algorithm>
#include <cmath>
#include <numbers>

#include "ops/transforms/transform.h"

namespace penstock {
namespace {

struct ShearArgs : TransformArgs {
  std::vector<float> shear, angles, center;
};

class Shear final : public TransformOperator<ShearArgs> {
 public:
  void setup() override {
    by_angles_ = spec().given("angles");
    PENSTOCK_CHECK(by_angles_ != spec().given("shear"), ArgumentError,
                   "`shear` and `angles` are mutually exclusive; give one of them");
  }

 private:
  /// One number for each pair of different axes.
  int axes(const Sample& s) const override {
    const size_t count = factors(s).size();
    PENSTOCK_CHECK(count == 2 || count == 6, ArgumentError,
                   "`{}` needs two values for two axes or six for three, got {}", by_angles_ ? "angles" : "shear",
                   count);
    return count == 2 ? 2 : 3;
  }
  Affine matrix(const Sample& s, int ndim) const override {
    if (!args(s).center.empty()) check_count("center", args(s).center, ndim);
    Affine map = identity_map(ndim);
    auto factor = factors(s).begin();
    for (int row = 0; row < ndim; ++row)
      for (int column = 0; column < ndim; ++column)
        if (row != column) map(row, column) = by_angles_ ? slope(*factor++) : *factor++;
    return around(args(s).center, map);
  }
  static double slope(float degrees) {
    PENSTOCK_CHECK(degrees >= -90 && degrees <= 90, ArgumentError, "`angles` must lie between -90 and 90, got {}",
                   degrees);
    return std::tan(degrees * static_cast<float>(std::numbers::pi / 180));  // in single precision, as DALI has it
  }
  const std::vector<float>& factors(const Sample& s) const { return by_angles_ ? args(s).angles : args(s).shear; }
  bool by_angles_ = false;
};

}  // namespace

[[gnu::cold]] void register_transforms_shear(Registry& r) {
  add_transform<Shear>(r, "transforms.shear", "Makes the matrix of a shear.")
      .arg("shear", &ShearArgs::shear,
           "By how much points move along one axis for each step along another: x by y, y by x; in three dimensions x "
           "by y, x by z, y by x, y by z, z by x, z by y. Excludes `angles`.",
           kPerSample)
      .arg("angles", &ShearArgs::angles, "Angles in degrees whose tangents are the factors. Excludes `shear`.",
           kPerSample)
      .arg("center", &ShearArgs::center, "The point that stays where it is; the origin when not given.", kPerSample)
      .example({{"shear", {.5, .25}}});
}

}  // namespace penstock
