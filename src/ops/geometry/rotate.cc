#include <cmath>

#include "core/check.h"
#include "ops/base/sampled.h"
#include "ops/geometry/rotated_canvas.h"
#include "ops/image/resample_image.h"
#include "schema/frame.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct RotateArgs : SampledArgs {
  float angle = 0;
  std::vector<float> axis;
  bool keep_size = false;
};

CanvasNeed volume_need(const Shape& in, const Affine& turned) {
  CanvasNeed need{in, in};
  for (int row = 0; row < 3; ++row) {  // x, y, z; shapes have them the other way round
    double exact = 0;
    int shown = row;
    for (int k = 0; k < 3; ++k) {
      exact += std::abs(turned(row, k)) * static_cast<double>(in[2 - k]);
      if (static_cast<float>(std::abs(turned(row, k))) > static_cast<float>(std::abs(turned(row, shown)))) shown = k;
    }
    need.least[2 - row] = least_extent(exact), need.shown[2 - row] = in[2 - shown];
  }
  return need;
}

/// `linear` around the centres of both: the result's goes to the input's.
Affine between_centres(const Affine& linear, const Shape& out, const Shape& in) {
  Affine map = linear;
  const int last = map.ndim - 1;
  for (int row = 0; row < map.ndim; ++row) {
    map.offset(row) = static_cast<double>(in[last - row]) / 2;
    for (int k = 0; k < map.ndim; ++k) map.offset(row) -= map(row, k) * static_cast<double>(out[last - k]) / 2;
  }
  return map;
}

class Rotate final : public SampledOperator<RotateArgs>, public FrameSizes {
 public:
  Rotate() { traits_.frame_sizes = this; }
  void infer(Sample& s) const override {
    const RotateArgs& a = args(s);
    const TensorDesc& in = s.in(0).tensor;
    const bool volume = spatial_extents(in).ndim() == 3;
    PENSTOCK_CHECK(std::isfinite(a.angle), ArgumentError, "`angle` must be a finite number of degrees, got {}",
                   a.angle);
    PENSTOCK_CHECK(!volume || !a.axis.empty(), ArgumentError,
                   "volumes turn around an axis: give `axis`, a vector of x, y and z");
    const CanvasNeed need = canvas_need(s);
    describe_as(s, canvas_for({&need, 1}));
  }
  void infer_alike(std::span<Sample* const> frames) const override {
    std::vector<CanvasNeed> needs;
    for (const Sample* one : frames) needs.push_back(canvas_need(*one));
    const Shape canvas = canvas_for(needs);
    for (Sample* one : frames) describe_as(*one, canvas);
  }

 private:
  CanvasNeed canvas_need(const Sample& s) const {
    const RotateArgs& a = args(s);
    const Shape extents = spatial_extents(s.in(0).tensor);
    if (a.keep_size || !a.size.empty()) return {.least = sampled_size(a.size, extents)};
    return extents.ndim() == 3 ? volume_need(extents, rotation_by(double{a.angle}, a.axis))
                               : picture_need(extents, a.angle);
  }
  void describe_as(Sample& s, const Shape& size) const {
    const RotateArgs& a = args(s);
    const Shape extents = spatial_extents(s.in(0).tensor);
    // Rows count downwards, so that the rotation's inverse has the matrix of one that is counter-clockwise upwards.
    const Affine inverse = extents.ndim() == 3 ? rotation_by(-double{a.angle}, a.axis) : rotation_by(double{a.angle});
    s.out(0).describe(state(s).describe(s.in(0).tensor, size, between_centres(inverse, size, extents), a));
  }
};

}  // namespace

[[gnu::cold]] void register_rotate(Registry& r) {
  auto op = r.add<Rotate>("rotate");
  op.doc(
        "Rotates pictures counter-clockwise around their centre, and volumes around an axis through theirs. The canvas "
        "grows so that all of the input is seen, unless `keep_size` or `size` says otherwise.")
      .input("input", sampled_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("rotated", "Of the input's type and layout, or FLOAT.")
      .arg("angle", &RotateArgs::angle, "Degrees, counter-clockwise; of volumes a positive rotation around the axis.",
           kRequired | kPerSample)
      .arg("axis", &RotateArgs::axis, "Of volumes: the vector x, y, z to turn around, of any length but 0.", kPerSample)
      .arg("keep_size", &RotateArgs::keep_size, "The result is as large as the input.")
      .example({{"angle", 30}, {"axis", {0.0, 0.6, 0.8}}, {"fill_value", 42}});
  add_sampled_args(op);
}

}  // namespace penstock
