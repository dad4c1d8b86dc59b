#include <string>

#include "kernels/neighbourhood/rank.h"
#include "ops/filters/rank.h"

namespace penstock {
namespace {

struct MorphologyArgs {
  std::vector<int64_t> mask_size = {3, 3};
  std::vector<int64_t> anchor = {-1, -1};
  int64_t iterations = 1;
  std::string border_mode = "constant";
};

constexpr int64_t kMostTaps = 1 << 24;

template <bool kGreatest>
class Morphology final : public RankOperator<MorphologyArgs, kernels::ExtremeJob> {
 public:
  Morphology() : RankOperator(penstock::kernels::kExtreme) {}
  void setup() override {
    border_ = border_named("border_mode", constants().border_mode);
    PENSTOCK_CHECK(constants().iterations >= 1 && constants().iterations < kMostTaps, ArgumentError,
                   "`iterations` must be positive and below {}, got {}", kMostTaps, constants().iterations);
  }
  void infer(Sample& s) const override {
    const auto [width, height] = width_and_height("mask_size", args(s).mask_size);
    const auto [x, y] = width_and_height("anchor", args(s).anchor);
    infer_window(s, window(width, x), window(height, y), border_);
  }
  void run(Sample& s) const override {
    const Neighbourhood& window = state(s);
    const penstock::kernels::WindowAxes axes = window.placed(s.in(0), s.out(0));
    for_each_picture(window.axes(), s.in(0), s.out(0), [&](int64_t, const std::byte* in, std::byte* out) {
      penstock::kernels::extreme(axes, window.axes().channels, border_, kGreatest, s.in(0).tensor.dtype, in, out);
    });
  }

 private:
  /// Several rounds are one with a larger rectangle.
  WindowSize window(int64_t size, int64_t anchor) const {
    PENSTOCK_CHECK(size >= 1 && size < kMostTaps, ArgumentError, "`mask_size` must be positive and below {}, got {}",
                   kMostTaps, size);
    PENSTOCK_CHECK(anchor >= -1 && anchor < size, ArgumentError,
                   "`anchor` must lie in the mask, or be -1 for its middle: 0 to {}, got {}", size - 1, anchor);
    if (anchor < 0) anchor = size / 2;
    const int64_t rounds = constants().iterations, taps = size + (rounds - 1) * (size - 1);
    PENSTOCK_CHECK(taps < kMostTaps, ArgumentError, "`iterations` make the mask {} elements long, more than {}", taps,
                   kMostTaps);
    return {static_cast<int32_t>(taps), static_cast<int32_t>(anchor * rounds)};
  }
  void describe(Sample& s, device::Staging& staging, penstock::kernels::ExtremeJob& job) const override {
    RankOperator::describe(s, staging, job);
    job.greatest = kGreatest;
  }
  penstock::kernels::Border border_ = penstock::kernels::Border::kConstant;
};

template <bool kGreatest>
void add(Registry& r, const char* name, const char* doc) {
  r.add<Morphology<kGreatest>>(name)
      .doc(doc)
      .input("input", picture_layouts(), "uint8, int16, uint16, int32 or float.")
      .output("output", "Shape, layout and type of the input.")
      .arg("mask_size", &MorphologyArgs::mask_size, "Width and height of the rectangle, or one value for both.",
           kPerSample)
      .arg("anchor", &MorphologyArgs::anchor,
           "The rectangle's element that lies over the result's place: along x and along y. -1 stands for its middle.",
           kPerSample)
      .arg("iterations", &MorphologyArgs::iterations,
           "How many times it is done: each time more makes the rectangle larger by its size less one.")
      .arg("border_mode", &MorphologyArgs::border_mode,
           "What lies outside: \"constant\" (nothing that would be the result), \"replicate\" (aaa|abcd), \"reflect\" "
           "(cba|abcd), \"reflect_101\" (dcb|abcd) or \"wrap\" (bcd|abcd).")
      .devices({"gpu"})
      .differs("The CPU has it, too.")
      .differs("The input may be of INT32, too.");
}

}  // namespace

[[gnu::cold]] void register_dilate(Registry& r) {
  add<true>(r, "experimental.dilate", "Gives the greatest element of the rectangle around each, by channels.");
}

[[gnu::cold]] void register_erode(Registry& r) {
  add<false>(r, "experimental.erode", "Gives the least element of the rectangle around each, by channels.");
}

}  // namespace penstock
