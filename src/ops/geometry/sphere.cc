#include <algorithm>

#include "ops/geometry/displacement.h"

namespace penstock {
namespace {

class Sphere final : public DisplacementOperator<DisplacementArgs, kernels::SphereMap> {
 public:
  Sphere() : DisplacementOperator(penstock::kernels::kSampledSphere) {}

 private:
  kernels::SphereMap map(Sample& s, device::Staging*) const override {
    const auto& size = state(s).all().size;
    const int32_t radius = std::max({size[0], size[1], 2}) / 2;
    return {.middle = {static_cast<float>(size[0]) * 0.5f, static_cast<float>(size[1]) * 0.5f},
            .radius = static_cast<float>(radius),
            .is_off = args(s).mask ? 0 : 1};
  }
};

}  // namespace

[[gnu::cold]] void register_sphere(Registry& r) {
  auto op = r.add<Sphere>("sphere");
  op.doc("Shows pictures as through a ball of glass in their middle, whose radius is half the longer side.")
      .input("input", mapped_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("bent", "Shape, layout and type of the input.")
      .tolerance(1);
  add_displacement_args(op);
}

}  // namespace penstock
