#include "ops/image/resize.h"

#include "core/check.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

class Resize final : public ResampleOperator<ResizeArgs> {
 public:
  void setup() override { check_resize_size(spec(), constants()); }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const Shape extents = spatial_extents(in);
    s.out(0).describe(state(s).describe(in, resize_size(args(s), extents), args(s)));
    if (args(s).save_attrs) s.out(1).describe({DType::kInt32, Shape{extents.ndim()}, {}});
  }
  void run(Sample& s) const override {
    ResampleOperator::run(s);
    if (!args(s).save_attrs) return;
    auto* attributes = s.out(1).tensor.as<int32_t>();
    for (const int64_t extent : spatial_extents(s.in(0).tensor)) *attributes++ = static_cast<int32_t>(extent);
  }
};

}  // namespace

[[gnu::cold]] void register_resize(Registry& r) {
  auto op = r.add<Resize>("resize");
  op.doc(
        "Resizes images, volumes, or every frame of a sequence. The size is given in one of four ways: `size`; "
        "`resize_x`, `resize_y` and `resize_z`; `resize_shorter`; `resize_longer`.")
      .input("data", resample_layouts(), "uint8, int16, uint16 or float.")
      .output("resized", "The image, of the input's type or FLOAT.")
      .output("attributes", "With `save_attrs`: the spatial extents of the input, int32.")
      .count_outputs([](const OpSpec& spec) {
        bool save = false;
        take_constant(spec, "save_attrs", save);
        return save ? 2 : 1;
      })
      .arg("save_attrs", &ResizeArgs::save_attrs, "Adds an output with the extents that the input had.")
      .ignored("image_type", ArgType::kImageType, "The channels are not interpreted.", kDeprecated)
      .tolerance(1)
      .example({{"resize_x", 5}, {"resize_y", 11}})
      .alias("experimental.resize")
      .differs(
          "Nearest neighbours in height: which of two rows as near DALI takes depends on the rounding of all rows "
          "before, since it adds up steps.")
      .differs(
          "The Gaussian filter where a pixel lies exactly on its end (24 rows to 15): whether it counts, with a weight "
          "of e^-4, depends on a float's last bit; up to 4 levels of 255.")
      .differs(
          "A region of interest whose end lies before its start turns the picture; DALI forgets that where the extent "
          "of this axis follows from the other.");
  add_filter_args(add_resize_size_args(op));
}

}  // namespace penstock
