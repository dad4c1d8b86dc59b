#include "core/check.h"
#include "ops/image/crop_window.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct ResizeCropMirrorArgs : ResizeSizeArgs, FilterArgs, CropArgs {
  int32_t mirror = 0;
};

struct FastResizeCropMirrorArgs : ResizeCropMirrorArgs {
  FastResizeCropMirrorArgs() { antialias = false; }
};

template <class Args>
class ResizeCropMirror final : public ResampleOperator<Args> {
 public:
  void setup() override {
    check_resize_size(this->spec(), this->constants());
    check_crop_args(this->spec(), this->constants());
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const Args& args = this->args(s);
    ImageResample& resample = this->state(s);
    const TensorDesc resized = resample.describe(in, resize_size(args, spatial_extents(in)), args);
    const CropWindow window = crop_window(args, resized);
    const SpatialAxes axes(in);
    for (int i = 0; i < axes.first; ++i)
      PENSTOCK_CHECK(window.extent[i] == in.shape[i], ArgumentError,
                     "`crop_d` needs a depth axis, but the layout is \"{}\"; crop the frames with `crop` or `slice`",
                     in.layout.view());
    const auto spatial = [&](const Shape& box) {
      return std::span(box.begin() + axes.first, static_cast<size_t>(axes.count));
    };
    s.out(0).describe(resample.crop(spatial(window.anchor), spatial(window.extent)));
    for (int i = 0; i < axes.count; ++i)
      if (args.mirror >> i & 1) resample.flip(axes.count - 1 - i);
  }
};

template <class Args>
void describe(OpBuilder<ResizeCropMirror<Args>> op, const std::string& doc) {
  op.doc(doc)
      .input("images", resample_layouts(), "uint8, int16, uint16 or float.")
      .output("window", "The window, of the input's type or FLOAT.")
      .tolerance(1)
      .arg("mirror", &ResizeCropMirrorArgs::mirror,
           "Which axes are turned around, by bits: 1 left to right, 2 top to bottom, 4 front to back.", kPerSample);
  add_crop_args(add_filter_args(add_resize_size_args(op)))
      .example({{"resize_x", 8}, {"resize_y", 6}, {"crop_h", 4}, {"crop_w", 5}, {"mirror", 1}})
      .differs("`mirror` turns left to right in every layout; DALI turns CHW upside down.");
}

}  // namespace

[[gnu::cold]] void register_resize_crop_mirror(Registry& r) {
  describe(r.add<ResizeCropMirror<ResizeCropMirrorArgs>>("resize_crop_mirror"),
           "Resizes, cuts a window out of the result and turns it around; only the window is computed. A window larger "
           "than the resized image repeats the image's border.");
}

[[gnu::cold]] void register_fast_resize_crop_mirror(Registry& r) {
  describe(r.add<ResizeCropMirror<FastResizeCropMirrorArgs>>("fast_resize_crop_mirror"),
           "`resize_crop_mirror` without antialiasing, under DALI's older name.");
}

}  // namespace penstock
