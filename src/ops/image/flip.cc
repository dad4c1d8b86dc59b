#include "ops/image/placement.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FlipArgs {
  int32_t horizontal = 1, vertical = 0, depthwise = 0;
};

class Flip final : public PlacedOperator<FlipArgs> {
 private:
  const std::vector<float>& fill_values(const Sample&) const override { return none_; }
  Placement place(const Sample& s) const override {
    const TensorDesc& input = s.in(0).tensor;
    Placement placement = placed_whole(input);
    const auto mirror = [&](char letter, int32_t asked) {
      if (const int axis = input.layout.find(letter); axis >= 0 && asked != 0)
        placement.mirrored[static_cast<size_t>(axis)] = true;
    };
    mirror('W', args(s).horizontal);
    mirror('H', args(s).vertical);
    mirror('D', args(s).depthwise);
    return placement;
  }
  const std::vector<float> none_{};
};

}  // namespace

[[gnu::cold]] void register_flip(Registry& r) {
  r.add<Flip>("flip")
      .doc("Mirrors images and volumes along any of their axes.")
      .input("images", {"FDHWC", "FHWC", "DHWC", "HWC", "FCDHW", "FCHW", "CDHW", "CHW"}, "Images or volumes.")
      .output("flipped", "Shape, type and layout as the input.")
      .arg("horizontal", &FlipArgs::horizontal, "Mirror left to right.", kPerSample)
      .arg("vertical", &FlipArgs::vertical, "Mirror top to bottom.", kPerSample)
      .arg("depthwise", &FlipArgs::depthwise, "Mirror front to back.", kPerSample)
      .example({{"horizontal", 1}, {"vertical", 1}});
}

}  // namespace penstock
