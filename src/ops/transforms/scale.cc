#include <algorithm>

#include "ops/transforms/transform.h"

namespace penstock {
namespace {

struct ScaleArgs : TransformArgs {
  std::vector<float> scale, center;
  std::optional<int64_t> ndim;
};

class Scale final : public TransformOperator<ScaleArgs> {
  int axes(const Sample& s) const override {
    const ScaleArgs& a = args(s);
    if (a.ndim) {
      check_count("scale", a.scale, static_cast<int>(*a.ndim), true);
      return static_cast<int>(*a.ndim);
    }
    const size_t most = std::max(a.scale.size(), a.center.size());
    if (most > 1) return static_cast<int>(most);
    return s.num_inputs() > 0 ? 0 : static_cast<int>(most);
  }
  Affine matrix(const Sample& s, int ndim) const override {
    check_count("scale", args(s).scale, ndim, true);
    if (!args(s).center.empty()) check_count("center", args(s).center, ndim);
    Affine map = identity_map(ndim);
    for (int i = 0; i < ndim; ++i) map(i, i) = at(args(s).scale, i);
    return around(args(s).center, map);
  }
};

}  // namespace

[[gnu::cold]] void register_transforms_scale(Registry& r) {
  add_transform<Scale>(r, "transforms.scale", "Makes the matrix of a scaling.")
      .arg("scale", &ScaleArgs::scale, "Factor along each axis, or one for all.", kPerSample | kRequired)
      .arg("center", &ScaleArgs::center, "The point that stays where it is; the origin when not given.", kPerSample)
      .arg("ndim", &ScaleArgs::ndim, "Number of axes, where `scale` is one number and there is no input.")
      .example({{"scale", {2., .5}}});
}

}  // namespace penstock
