#include "core/check.h"
#include "ops/image/random_window.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct RandomResizedCropArgs : RandomWindowArgs, FilterArgs {
  std::vector<int64_t> size;
};

class RandomResizedCrop final : public ResampleOperator<RandomResizedCropArgs> {
 public:
  void setup() override {
    check_random_window(constants());
    const std::vector<int64_t>& size = constants().size;
    PENSTOCK_CHECK(size.size() == 1 || size.size() == 2, ArgumentError,
                   "`size` takes one value, or a height and a width; got {} values", size.size());
    for (const int64_t extent : size)
      PENSTOCK_CHECK(extent > 0 && extent <= INT32_MAX, ArgumentError, "`size` must be positive, got {}", extent);
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const Shape extents = spatial_extents(in);
    Random random = s.random();
    const Extent window = random_window(random, extents[0], extents[1], args(s));
    const auto axis = [](int64_t out, int64_t start, int64_t length) {
      return AxisSize{out, static_cast<float>(start), static_cast<float>(start + length)};
    };
    const AxisSize sizes[] = {axis(args(s).size.front(), window.y, window.h),
                              axis(args(s).size.back(), window.x, window.w)};
    s.out(0).describe(state(s).describe(in, sizes, args(s)));
  }
};

}  // namespace

[[gnu::cold]] void register_random_resized_crop(Registry& r) {
  auto op = r.add<RandomResizedCrop>("random_resized_crop");
  op.doc(
        "Resizes a random window of the image to a fixed size. All frames of a sequence share the window. With the "
        "same "
        "seed `decoders.image_random_crop` cuts the same windows.")
      .input("images", resample_image_layouts(), "uint8, int16, uint16 or float.")
      .output("resized", "The window, of the input's type or FLOAT.")
      .random()
      .tolerance(1)
      .arg("size", &RandomResizedCropArgs::size, "Height and width of the result, or one value for both.", kRequired)
      .example({{"size", {5, 4}}});
  add_random_window_args(op);
  add_filter_args(op);
}

}  // namespace penstock
