#include <algorithm>
#include <optional>

#include "core/check.h"
#include "ops/axes.h"
#include "ops/geometry/homography.h"
#include "ops/image/resample_image.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct TensorResizeArgs : FilterArgs, ResizeSizeArgs {
  std::vector<float> scales;
  std::vector<int64_t> axes;
  std::string axis_names;
};

/// The resampling of a tensor that is seen as frames of volumes: FDHWC.
struct TensorResizeState {
  ImageResample resample;
  TensorDesc in, out;
  Value seen(const Value& value, const TensorDesc& desc) const {
    Value seen = value;
    seen.describe(desc);
    seen.held = whole(desc);
    return seen;
  }
};

class TensorResize final : public SampleOperator<TensorResizeArgs, TensorResizeState>,
                           public device::JobForm<kernels::ResampleJob>,
                           public MovesPixels {
 public:
  TensorResize() : JobForm(kernels::kResample) {}
  void setup() override {
    PENSTOCK_CHECK(spec().given("sizes") != spec().given("scales"), ArgumentError, "give either `sizes` or `scales`{}",
                   spec().given("sizes") ? ", not both" : "");
    PENSTOCK_CHECK(!spec().given("axes") || !spec().given("axis_names"), ArgumentError,
                   "`axes` and `axis_names` are mutually exclusive; give one of them");
    check_resize_limits(spec(), constants());
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const OfAxes<AxisSize> sizes = all_sizes(args(s), in);
    int first = 0, end = in.shape.ndim();
    const auto stays = [&](int axis) {
      const AxisSize& size = sizes[static_cast<size_t>(axis)];
      return size == AxisSize{in.shape[axis], 0, static_cast<float>(in.shape[axis])};
    };
    while (first < end && stays(first)) ++first;
    while (end > first && stays(end - 1)) --end;
    PENSTOCK_CHECK(end - first <= 3, ArgumentError,
                   "axes {} to {} would have to be resized together; at most 3 neighbours can", first, end - 1);
    s.out(0).describe(describe(s, sizes, first, end));
  }
  PixelMap pixel_map(const Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const OfAxes<AxisSize> sizes = all_sizes(args(s), in);
    PixelMap map = pixels_of(in);
    for (size_t i = 0; i < static_cast<size_t>(map.axes); ++i) {
      const AxisSize& axis = sizes[static_cast<size_t>(pixel_axis(in, "WHD"[i]))];
      PENSTOCK_CHECK(axis.start != axis.end, ArgumentError, "labels cannot follow a region without extent");
      map.out[i] = static_cast<double>(axis.out);
      map.to_output[i][i] = map.out[i] / (double{axis.end} - double{axis.start});
      map.to_output[i][3] = -double{axis.start} * map.to_output[i][i];
    }
    return map;
  }
  void run(Sample& s) const override {
    TensorResizeState& state = this->state(s);
    Value out = state.seen(s.out(0), state.out);
    state.resample.run(s, state.seen(s.in(0), state.in), out);
  }

 private:
  using JobForm::describe;
  void describe(Sample& s, device::Staging& staging, kernels::ResampleJob& job) const override {
    TensorResizeState& state = this->state(s);
    state.resample.describe(state.seen(s.in(0), state.in), state.seen(s.out(0), state.out), staging, job);
  }

  /// Sees the axes [first, end) as D, H and W, those before them as F and those behind them as C.
  TensorDesc describe(Sample& s, const OfAxes<AxisSize>& sizes, int first, int end) const {
    TensorResizeState& state = this->state(s);
    const TensorDesc& in = s.in(0).tensor;
    OfAxes<AxisSize> spatial;
    int64_t outer = 1, inner = 1;
    for (int axis = 0; axis < first; ++axis) outer *= in.shape[axis];
    for (int axis = end; axis < in.shape.ndim(); ++axis) inner *= in.shape[axis];
    state.in = {in.dtype, {outer}, end - first == 3 ? Layout("FDHWC") : Layout("FHWC")};
    for (int missing = end - first; missing < 2; ++missing) {
      state.in.shape.push_back(1);
      spatial.push_back({1, 0, 1});
    }
    for (int axis = first; axis < end; ++axis) {
      state.in.shape.push_back(in.shape[axis]);
      spatial.push_back(sizes[static_cast<size_t>(axis)]);
    }
    state.in.shape.push_back(inner);
    state.out = state.resample.describe(state.in, std::span(spatial.begin(), spatial.size()), args(s));
    TensorDesc out = in;
    out.dtype = state.out.dtype;
    for (int axis = first; axis < end; ++axis) out.shape[axis] = sizes[static_cast<size_t>(axis)].out;
    return out;
  }

  /// Of every axis of the tensor.
  OfAxes<AxisSize> all_sizes(const TensorResizeArgs& a, const TensorDesc& in) const {
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "a tensor needs at least one axis to be resized, got a scalar");
    const AxisList axes = spec().given("axis_names") ? axes_named(a.axis_names, in)
                          : spec().given("axes")     ? axes_in(a.axes, in)
                                                     : all_axes(in);
    std::vector<int64_t> extents;
    for (const int axis : axes) extents.push_back(in.shape[axis]);
    const OfAxes<AxisSize> asked = spec().given("scales") ? scaled_size(a, a.scales, extents) : resize_size(a, extents);
    OfAxes<AxisSize> sizes;
    for (const int64_t extent : in.shape) sizes.push_back({extent, 0, static_cast<float>(extent)});
    for (size_t i = 0; i < asked.size(); ++i) sizes[static_cast<size_t>(axes.axes[i])] = asked[i];
    return sizes;
  }
};

}  // namespace

[[gnu::cold]] void register_tensor_resize(Registry& r) {
  auto op = r.add<TensorResize>("tensor_resize");
  op.doc("Resizes axes of a tensor, whatever they mean: up to three neighbours at once. The others stay as they are.")
      .alias("experimental.tensor_resize")
      .input("data", {}, "uint8, int16, uint16 or float, of any shape and layout.")
      .output("resized", "The tensor, of the input's type or FLOAT.")
      .arg("sizes", &ResizeSizeArgs::size,
           "Extents of the result: one for each of `axes`, or one for all; 0: follows from the others. Excludes "
           "`scales`.",
           kPerSample)
      .arg("scales", &TensorResizeArgs::scales, "Factors of the extents that the input has, likewise.", kPerSample)
      .arg("axes", &TensorResizeArgs::axes, "Axes that are resized; all when not given.")
      .arg("axis_names", &TensorResizeArgs::axis_names, "The same by their letters in the layout. Excludes `axes`.")
      .arg("size_rounding", &ResizeSizeArgs::size_rounding,
           "How extents become whole: \"round\", \"truncate\" or \"ceil\".")
      .arg("alignment", &ResizeSizeArgs::alignment,
           "Which point of the input stays where it is when an extent had to be rounded: 0, the start, to 1, the end; "
           "one for each of `axes`, or one for all.",
           kPerSample)
      .tolerance(1)
      .example({{"sizes", {3, 4}}, {"axes", {0, 1}}})
      .differs(
          "Axes that are not named stay as they are and count for nothing. In DALI they count as if their own extents "
          "had been asked for: `not_larger` and `not_smaller` resize them too, and extents of 0 follow from them.");
  add_filter_args(add_resize_policy_args(op));
}

}  // namespace penstock
