#include <algorithm>
#include <utility>

#include "ops/transforms/transform.h"

namespace penstock {
namespace {

struct CropArgs : TransformArgs {
  std::vector<float> from_start = {0}, from_end = {1}, to_start = {0}, to_end = {1};
  bool absolute = false;
};

class Crop final : public TransformOperator<CropArgs> {
  int axes(const Sample& s) const override {
    size_t most = 0;
    for (const auto* ends : {&args(s).from_start, &args(s).from_end, &args(s).to_start, &args(s).to_end})
      most = std::max(most, ends->size());
    return most > 1 || s.num_inputs() == 0 ? static_cast<int>(most) : 0;
  }
  int fallback_axes() const override { return 1; }
  Affine matrix(const Sample& s, int ndim) const override {
    const auto ends = [&](const char* name, const std::vector<float>& values, float usual, int axis) {
      if (values.empty()) return usual;
      check_count(name, values, ndim, true);
      return at(values, axis);
    };
    Affine map = identity_map(ndim);
    for (int i = 0; i < ndim; ++i) {
      double from = ends("from_start", args(s).from_start, 0, i), from_end = ends("from_end", args(s).from_end, 1, i);
      double to = ends("to_start", args(s).to_start, 0, i), to_end = ends("to_end", args(s).to_end, 1, i);
      if (args(s).absolute && from > from_end) std::swap(from, from_end);
      if (args(s).absolute && to > to_end) std::swap(to, to_end);
      PENSTOCK_CHECK(from != from_end, ArgumentError, "`from_start` and `from_end` are both {} along axis {}", from, i);
      map(i, i) = (to_end - to) / (from_end - from);
      map.offset(i) = to - map(i, i) * from;
    }
    return map;
  }
};

}  // namespace

[[gnu::cold]] void register_transforms_crop(Registry& r) {
  add_transform<Crop>(r, "transforms.crop",
                      "Makes the matrix that maps one box to another: coordinates in a picture to those in a crop.")
      .arg("from_start", &CropArgs::from_start, "Lower end of the box; one value stands for all axes.", kPerSample)
      .arg("from_end", &CropArgs::from_end, "Upper end of the box.", kPerSample)
      .arg("to_start", &CropArgs::to_start, "Where the lower end goes.", kPerSample)
      .arg("to_end", &CropArgs::to_end, "Where the upper end goes.", kPerSample)
      .arg("absolute", &CropArgs::absolute, "Exchanges ends that are the wrong way round.")
      .example({{"from_end", {4, 5}}});
}

}  // namespace penstock
