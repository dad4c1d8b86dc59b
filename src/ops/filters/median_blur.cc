#include "kernels/neighbourhood/rank.h"
#include "ops/filters/rank.h"

namespace penstock {
namespace {

struct MedianBlurArgs {
  std::vector<int64_t> window_size = {3, 3};
};

class MedianBlur final : public RankOperator<MedianBlurArgs, kernels::MedianJob> {
 public:
  MedianBlur() : RankOperator(penstock::kernels::kMedian) {}
  void infer(Sample& s) const override {
    const auto [width, height] = width_and_height("window_size", args(s).window_size);
    infer_window(s, window(width), window(height), penstock::kernels::Border::kClamp);
  }
  void run(Sample& s) const override {
    const Neighbourhood& window = state(s);
    const penstock::kernels::WindowAxes axes = window.placed(s.in(0), s.out(0));
    for_each_picture(window.axes(), s.in(0), s.out(0), [&](int64_t, const std::byte* in, std::byte* out) {
      penstock::kernels::median(axes, window.axes().channels, window.border(), s.in(0).tensor.dtype, in, out);
    });
  }

 private:
  static WindowSize window(int64_t size) {
    PENSTOCK_CHECK(size >= 1 && size % 2 == 1 && size < 4096, ArgumentError,
                   "`window_size` must be odd, positive and below 4096, got {}", size);
    return {static_cast<int32_t>(size), static_cast<int32_t>(size / 2)};
  }
};

}  // namespace

[[gnu::cold]] void register_median_blur(Registry& r) {
  r.add<MedianBlur>("experimental.median_blur")
      .doc(
          "Replaces each element by the median of the rectangle around it, each channel by itself. Beyond the border "
          "the outermost elements are repeated, as in OpenCV.")
      .input("input", picture_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("blurred", "Shape, layout and type of the input.")
      .arg("window_size", &MedianBlurArgs::window_size, "Odd width and height, or one value for both.", kPerSample)
      .devices({"gpu"})
      .differs("The CPU has it, too.")
      .differs("The input may be of INT16 and INT32, too.");
}

}  // namespace penstock
