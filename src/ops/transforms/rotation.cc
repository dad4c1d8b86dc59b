#include "ops/transforms/transform.h"

namespace penstock {
namespace {

struct RotationArgs : TransformArgs {
  float angle = 0;
  std::vector<float> axis, center;
};

class Rotation final : public TransformOperator<RotationArgs> {
  int axes(const Sample& s) const override { return args(s).axis.empty() ? 2 : 3; }
  Affine matrix(const Sample& s, int ndim) const override {
    const RotationArgs& a = args(s);
    if (!a.center.empty()) check_count("center", a.center, ndim);
    return around(a.center, ndim == 3 ? rotation_by(a.angle, a.axis) : rotation_by(a.angle));
  }
};

}  // namespace

[[gnu::cold]] void register_transforms_rotation(Registry& r) {
  add_transform<Rotation>(r, "transforms.rotation",
                          "Makes the matrix of a rotation: in the plane, or around `axis` in three dimensions.")
      .arg("angle", &RotationArgs::angle, "Degrees.", kPerSample | kRequired)
      .arg("axis", &RotationArgs::axis, "Three numbers of any length but none: the axis of a rotation in space.",
           kPerSample)
      .arg("center", &RotationArgs::center, "The point that stays where it is; the origin when not given.", kPerSample)
      .example({{"angle", 30.}});
}

}  // namespace penstock
