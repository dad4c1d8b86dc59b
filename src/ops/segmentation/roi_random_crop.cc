#include <algorithm>
#include <optional>

#include "core/check.h"
#include "core/wide_random.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct RoiRandomCropArgs {
  std::vector<int64_t> crop_shape, roi_start;
  std::optional<std::vector<int64_t>> roi_end, roi_shape, in_shape;
};

constexpr int64_t kFarthest = int64_t{1} << 40;

class RoiRandomCrop final : public SampleOperator<RoiRandomCropArgs> {
 public:
  RoiRandomCrop() { traits_.shape_only = kAllInputs; }
  void setup() override {
    PENSTOCK_CHECK(spec().given("roi_end") != spec().given("roi_shape"), ArgumentError,
                   "give either `roi_end` or `roi_shape`{}", spec().given("roi_end") ? ", not both" : "");
    PENSTOCK_CHECK(!spec().given("in_shape") || spec().num_inputs == 0, ArgumentError,
                   "`in_shape` and an input to take the shape of are mutually exclusive; give one of them");
  }
  void infer(Sample& s) const override {
    const auto axes = static_cast<int64_t>(args(s).crop_shape.size());
    PENSTOCK_CHECK(axes > 0, ArgumentError, "`crop_shape` must have at least one extent");
    s.out(0).describe({.dtype = DType::kInt64, .shape = {axes}, .layout = {}});
  }
  void run(Sample& s) const override {
    const RoiRandomCropArgs& a = args(s);
    Random random = s.random();
    int64_t* anchor = s.out(0).tensor.as<int64_t>();
    for (size_t axis = 0; axis < a.crop_shape.size(); ++axis) {
      const auto [first, last] = range(s, axis);
      anchor[axis] = first + static_cast<int64_t>(random.below64(static_cast<uint64_t>(last - first) + 1));
    }
  }

 private:
  /// Where the window may begin along an axis.
  std::pair<int64_t, int64_t> range(const Sample& s, size_t axis) const {
    const RoiRandomCropArgs& a = args(s);
    const size_t axes = a.crop_shape.size();
    const int64_t crop = a.crop_shape[axis], start = at(a.roi_start, "roi_start", axis, axes);
    const int64_t end =
        a.roi_end ? at(*a.roi_end, "roi_end", axis, axes) : start + at(*a.roi_shape, "roi_shape", axis, axes);
    PENSTOCK_CHECK(crop >= 0 && crop <= kFarthest, ArgumentError, "`crop_shape` must not be negative, got {}", crop);
    PENSTOCK_CHECK(end >= start, ArgumentError,
                   "the region of interest ends at {} before it begins at {} along axis {}", end, start, axis);
    auto [first, last] = std::minmax({start, end - crop});
    if (const std::optional<int64_t> extent = input_extent(s, axis)) {
      PENSTOCK_CHECK(start >= 0 && end <= *extent, ArgumentError,
                     "ROI can't be out of bounds: [{}, {}) along axis {} of the extent {}", start, end, axis, *extent);
      PENSTOCK_CHECK(crop <= *extent, ArgumentError,
                     "the window is larger than the input: {} along axis {} of the extent {}", crop, axis, *extent);
      first = std::clamp<int64_t>(first, 0, *extent - crop);
      last = std::clamp<int64_t>(last, 0, *extent - crop);
    }
    return {first, last};
  }

  std::optional<int64_t> input_extent(const Sample& s, size_t axis) const {
    const RoiRandomCropArgs& a = args(s);
    const size_t axes = a.crop_shape.size();
    if (s.num_inputs() > 0) {
      const Shape& shape = s.in(0).tensor.shape;
      PENSTOCK_CHECK(static_cast<size_t>(shape.ndim()) >= axes, ArgumentError,
                     "`crop_shape` has {} extents for an input of {} axes", axes, shape.ndim());
      return shape[static_cast<int>(axis)];
    }
    if (!a.in_shape) return {};
    return at(*a.in_shape, "in_shape", axis, axes);
  }

  /// The number for that axis; a single one stands for all axes.
  static int64_t at(const std::vector<int64_t>& list, const char* name, size_t axis, size_t axes) {
    PENSTOCK_CHECK(list.size() == axes || list.size() == 1, ArgumentError,
                   "`{}` takes one number, or one for each of {} axes of `crop_shape`; got {}", name, axes,
                   list.size());
    const int64_t value = list[list.size() == 1 ? 0 : axis];
    PENSTOCK_CHECK(value >= -kFarthest && value <= kFarthest, ArgumentError, "`{}` is out of range: {}", name, value);
    return value;
  }
};

}  // namespace

[[gnu::cold]] void register_roi_random_crop(Registry& r) {
  using Args = RoiRandomCropArgs;
  r.add<RoiRandomCrop>("roi_random_crop")
      .doc(
          "Where a window of a given shape begins that is placed at random so that as much as possible of a region of "
          "interest lies in it: a larger window holds the region, a smaller one lies in it.")
      .input("data", {}, "Tensor inside of which the window must lie; only its shape matters.")
      .optional()
      .output("anchor", "int64: a number for each axis of `crop_shape`.")
      .arg("crop_shape", &Args::crop_shape, "Extents of the window.", kPerSample | kRequired)
      .arg("roi_start", &Args::roi_start, "Where the region begins.", kPerSample | kRequired)
      .arg("roi_end", &Args::roi_end, "Where it ends. Excludes `roi_shape`.", kPerSample)
      .arg("roi_shape", &Args::roi_shape, "Its extents. Excludes `roi_end`.", kPerSample)
      .arg("in_shape", &Args::in_shape,
           "Extents inside of which the window must lie. Without them and an input it may lie anywhere.", kPerSample)
      .random()
      .devices({"cpu"})
      .host_only("a few numbers, which the operator that crops needs on the host; DALI agrees")
      .example({{"crop_shape", {4}}, {"roi_start", {1}}, {"roi_end", {3}}})
      .differs("Refuses negative extents and regions that end before they begin.");
}

}  // namespace penstock
