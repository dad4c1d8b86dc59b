#include "ops/image/placement.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct CropOpArgs : CropArgs, OutOfBoundsArgs {
  std::optional<DType> dtype;
};

class Crop final : public PlacedOperator<CropOpArgs> {
 public:
  void setup() override {
    check_crop_args(spec(), constants());
    check_window_dtype(constants().dtype);
    set_policy(out_of_bounds_policy(constants().out_of_bounds_policy, true));
  }

 private:
  const std::vector<float>& fill_values(const Sample& s) const override { return args(s).fill_values; }
  Placement place(const Sample& s) const override {
    const TensorDesc& input = s.in(0).tensor;
    Placement placement = placed_whole(input);
    placement.window = crop_window(args(s), input);
    placement.policy = policy();
    placement.dtype = args(s).dtype.value_or(input.dtype);
    bound_window(policy(), input.shape, placement.window);
    return placement;
  }
};

}  // namespace

[[gnu::cold]] void register_crop(Registry& r) {
  auto builder = r.add<Crop>("crop");
  builder.doc("Cuts a window of fixed size out of each sample.")
      .input("images", image_layouts(), "Images, volumes or sequences with a channel axis.")
      .output("window", "The window; layout as the input.")
      .example({{"crop_h", 4}, {"crop_w", 5}});
  add_window_dtype(add_out_of_bounds_args(add_crop_args(builder)), &CropOpArgs::dtype);
}

}  // namespace penstock
