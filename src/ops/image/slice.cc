#include "ops/image/placement.h"
#include "ops/image/slice_window.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SliceOpArgs : SliceArgs, OutOfBoundsArgs {
  std::optional<DType> dtype;
};

class Slice final : public PlacedOperator<SliceOpArgs> {
 public:
  void setup() override {
    slice_ = SliceWindow(spec());
    check_window_dtype(constants().dtype);
    set_policy(out_of_bounds_policy(constants().out_of_bounds_policy, true));
    traits_.goes_by_descriptors = spec().num_inputs == 1;
    program_.keeps_pixels = false;  // channels can be cut
  }

 private:
  const std::vector<float>& fill_values(const Sample& s) const override { return args(s).fill_values; }
  Placement place(const Sample& s) const override {
    const TensorDesc& input = s.in(0).tensor;
    Placement placement = placed_whole(input);
    placement.window = slice_(args(s), s, input);
    placement.policy = policy();
    placement.dtype = args(s).dtype.value_or(input.dtype);
    bound_window(policy(), input.shape, placement.window);
    return placement;
  }
  SliceWindow slice_;
};

}  // namespace

[[gnu::cold]] void register_slice(Registry& r) {
  auto builder = r.add<Slice>("slice");
  builder.doc("Cuts a window out of each sample: given by `start`, `end` and `shape`, or by two more inputs.")
      .input("data", {}, "Anything with one to eight dimensions.")
      .output("window", "The window; layout as the input.")
      .example({{"rel_start", {0.2, 0.1}}, {"rel_shape", {0.5, 0.6}}});
  add_window_dtype(add_out_of_bounds_args(add_slice_args(builder)), &SliceOpArgs::dtype);
}

}  // namespace penstock
