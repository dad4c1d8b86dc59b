#include <algorithm>
#include <cmath>

#include "ops/image/placement.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PasteArgs {
  float ratio = 1;
  float paste_x = .5f, paste_y = .5f;
  float min_canvas_size = 0;
  int64_t n_channels = 3;
  std::vector<float> fill_value;
};

class Paste final : public PlacedOperator<PasteArgs> {
 public:
  void setup() override {
    const PasteArgs& a = constants();
    set_policy(OutOfBounds::kPad);
    const auto fills = static_cast<int64_t>(a.fill_value.size());
    PENSTOCK_CHECK(a.n_channels >= 1 && a.n_channels <= 1024, ArgumentError,
                   "`n_channels` must lie in [1, 1024], got {}", a.n_channels);
    PENSTOCK_CHECK(fills == a.n_channels || fills == 1, ArgumentError,
                   "`fill_value` needs a value for each of the `n_channels` ({}) channels, or one for all; got {}",
                   a.n_channels, fills);
  }

 private:
  const std::vector<float>& fill_values(const Sample&) const override { return constants().fill_value; }
  Placement place(const Sample& s) const override {
    const TensorDesc& input = s.in(0).tensor;
    const PasteArgs& a = args(s);
    PENSTOCK_CHECK(input.dtype == DType::kUInt8, TypeError, "only pictures of UINT8 are pasted, got {}",
                   name_of(input.dtype));
    PENSTOCK_CHECK(input.shape[2] == a.n_channels, ArgumentError, "the picture has {} channels, `n_channels` is {}",
                   input.shape[2], a.n_channels);
    PENSTOCK_CHECK(a.ratio >= 1 && std::isfinite(a.ratio), ArgumentError,
                   "`ratio` of the canvas to the picture must be 1 or more, got {}", a.ratio);
    Placement placement = placed_whole(input);
    placement.policy = policy();
    lay(placement, 0, "paste_y", a.paste_y, a);
    lay(placement, 1, "paste_x", a.paste_x, a);
    return placement;
  }
  static void lay(Placement& placement, int axis, const char* name, float position, const PasteArgs& a) {
    PENSTOCK_CHECK(position >= 0 && position <= 1, ArgumentError, "`{}` must lie in [0, 1], got {}", name, position);
    const int64_t extent = placement.window.extent[axis];
    const float canvas = std::max(a.ratio * static_cast<float>(extent), a.min_canvas_size);
    PENSTOCK_CHECK(canvas < 0x1p31f, ArgumentError, "a canvas of {} pixels is too large", canvas);
    placement.window.extent[axis] = static_cast<int64_t>(canvas);
    const auto margin = static_cast<float>(placement.window.extent[axis] - extent);
    placement.window.anchor[axis] = -static_cast<int64_t>(position * margin);
  }
};

}  // namespace

[[gnu::cold]] void register_paste(Registry& r) {
  r.add<Paste>("paste")
      .doc("Lays each picture on a larger canvas of one colour.")
      .input("images", {"HWC"}, "Pictures of UINT8.")
      .output("canvas", "Pictures whose extents are those of the input times `ratio`, fractions dropped.")
      .arg("fill_value", &PasteArgs::fill_value, "The canvas's colour: a value per channel, or one for all.", kRequired)
      .arg("ratio", &PasteArgs::ratio, "Extent of the canvas to that of the picture, 1 or more.",
           kPerSample | kRequired)
      .arg("n_channels", &PasteArgs::n_channels, "Channels of the pictures.")
      .arg("min_canvas_size", &PasteArgs::min_canvas_size, "Extent in pixels that the canvas has at least.", kPerSample)
      .arg("paste_x", &PasteArgs::paste_x, "Where the picture lies: 0 at the left edge, 1 at the right.", kPerSample)
      .arg("paste_y", &PasteArgs::paste_y, "Where the picture lies: 0 at the top, 1 at the bottom.", kPerSample)
      .example({{"fill_value", {69, 111, 20}}, {"ratio", 1.7}});
}

}  // namespace penstock
