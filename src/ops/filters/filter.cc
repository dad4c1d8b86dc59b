#include "kernels/neighbourhood/filter.h"

#include <algorithm>
#include <string>

#include "core/check.h"
#include "ops/base/neighbourhood.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct CorrelationArgs {
  std::vector<int64_t> anchor = {-1};
  std::string border = "reflect_101";
  std::string mode = "same";
  std::optional<DType> dtype;
};

struct FilterState : Neighbourhood {
  kernels::WindowFilter filter;
  int64_t filters = 1;  ///< one for each frame, or one for all
};

/// The filter's axes are the input's data axes. Where that has no layout, the last axis may be one of channels.
DataAxes axes_of(const TensorDesc& in, int filter_axes) {
  DataAxes axes(in);
  if (in.layout.empty() && axes.count == filter_axes + 1)
    axes.count = filter_axes, axes.channels = in.shape[filter_axes];
  return axes;
}

class Filter final : public NeighbourhoodOperator<CorrelationArgs, kernels::FilterJob, FilterState> {
  using Job = penstock::kernels::FilterJob;

 public:
  Filter() : NeighbourhoodOperator(penstock::kernels::kFilter) {}
  void setup() override {
    border_ = border_named("border", constants().border);
    const std::string& mode = constants().mode;
    PENSTOCK_CHECK(mode == "same" || mode == "valid", ArgumentError, "`mode` must be \"same\" or \"valid\", got \"{}\"",
                   mode);
    valid_ = mode == "valid";
  }
  void infer(Sample& s) const override {
    const TensorDesc &in = s.in(0).tensor, &filter = s.in(1).tensor;
    PENSTOCK_CHECK(filter.dtype == DType::kFloat, TypeError, "the filter must be of type float, got {}",
                   name_of(filter.dtype));
    const bool by_frame = !filter.layout.empty() && filter.layout[0] == 'F';
    const int filter_axes = filter.shape.ndim() - (by_frame ? 1 : 0);
    const DataAxes axes = axes_of(in, filter_axes);
    PENSTOCK_CHECK(filter_axes == axes.count, ArgumentError,
                   "the filter must have as many axes as the input has besides frames and channels: {} for the shape "
                   "{} and layout \"{}\", got a filter of shape {}",
                   axes.count, to_string(in.shape), in.layout.view(), to_string(filter.shape));
    FilterState& state = this->state(s);
    state.filters = by_frame ? filter.shape[0] : 1;
    PENSTOCK_CHECK(!by_frame || (!in.layout.empty() && in.layout[0] == 'F' && in.shape[0] == state.filters),
                   ArgumentError, "{} filters, one for each frame, need a sequence of as many frames; got {} \"{}\"",
                   state.filters, to_string(in.shape), in.layout.view());
    WindowSize window[3];
    for (int i = 0; i < axes.count; ++i) window[i] = size_along(s, i, axes.count, filter.shape[i + (by_frame ? 1 : 0)]);
    TensorDesc out =
        state.Neighbourhood::describe(in, axes, {window, static_cast<size_t>(axes.count)}, border_, valid_);
    out.dtype = convolved_type(args(s).dtype, in.dtype);
    s.out(0).describe(out);
    if (s.num_inputs() > 2) check_fill(in, s.in(2).tensor);
  }
  void run(Sample& s) const override {
    FilterState& state = this->state(s);
    const DataAxes& axes = state.axes();
    const TensorDesc& in = s.in(0).tensor;
    float fill = 0;
    if (s.num_inputs() > 2)
      penstock::kernels::convert(in.dtype, s.in(2).tensor.data, DType::kFloat, reinterpret_cast<std::byte*>(&fill), 1);
    state.filter.begin(state.placed(s.in(0), s.out(0)), axes.channels, border_, fill, in.dtype, s.out(0).tensor.dtype);
    const auto* weights = reinterpret_cast<const float*>(s.in(1).tensor.data);
    const int64_t taps = s.in(1).tensor.shape.volume() / std::max<int64_t>(state.filters, 1);
    for_each_picture(axes, s.in(0), s.out(0), [&](int64_t i, const std::byte* from, std::byte* to) {
      state.filter.run(from, weights + i / (axes.outer / state.filters) * taps, to);
    });
  }

  void connect(std::byte* memory, const Places& places) const override {
    Job& job = *reinterpret_cast<Job*>(memory);
    job.in = places.in[0];
    job.weights = reinterpret_cast<const float*>(places.in[1]);
    job.fill = places.in.size() > 2 ? places.in[2] : nullptr;
    job.out = places.out;
  }

 private:
  void describe(Sample& s, device::Staging&, Job& job) const override {
    PENSTOCK_CHECK(s.in(0).tensor.dtype != DType::kBFloat16, TypeError,
                   "bfloat16 is not filtered on a GPU; cast to FLOAT");
    const FilterState& state = this->state(s);
    state.describe(s.in(0), s.out(0), job);
    job.pictures_per_filter = static_cast<int32_t>(state.axes().outer / std::max<int64_t>(state.filters, 1));
    job.pictures_per_filter = std::max(job.pictures_per_filter, 1);
  }
  WindowSize size_along(const Sample& s, int axis, int axes, int64_t taps) const {
    const std::vector<int64_t>& anchors = args(s).anchor;
    PENSTOCK_CHECK(taps > 0, ArgumentError, "the filter is empty: its shape is {}", to_string(s.in(1).tensor.shape));
    PENSTOCK_CHECK(taps < (1 << 24), ArgumentError, "a filter of {} elements along an axis is too large", taps);
    PENSTOCK_CHECK(anchors.size() == 1 || static_cast<int>(anchors.size()) == axes, ArgumentError,
                   "`anchor` needs one value, or one for each of {} axes; got {}", axes, anchors.size());
    int64_t anchor = anchors[anchors.size() == 1 ? 0 : static_cast<size_t>(axis)];
    PENSTOCK_CHECK(valid_ || (anchor >= -1 && anchor < taps), ArgumentError,
                   "`anchor` must lie in the filter, or be -1 for its middle: along axis {} 0 to {}, got {}", axis,
                   taps - 1, anchor);
    if (anchor < 0) anchor = taps / 2;
    return {static_cast<int32_t>(taps), static_cast<int32_t>(anchor)};
  }
  static void check_fill(const TensorDesc& in, const TensorDesc& fill) {
    PENSTOCK_CHECK(fill.dtype == in.dtype, TypeError, "`fill_value` must be of the input's type ({}), got {}",
                   name_of(in.dtype), name_of(fill.dtype));
    PENSTOCK_CHECK(fill.shape.volume() == 1, ArgumentError, "`fill_value` must be a single value, got shape {}",
                   to_string(fill.shape));
  }

  penstock::kernels::Border border_ = penstock::kernels::Border::kReflect101;
  bool valid_ = false;
};

}  // namespace

[[gnu::cold]] void register_filter(Registry& r) {
  r.add<Filter>("filter")
      .doc(
          "Correlates pictures, volumes or every frame of a sequence with a filter: each result is the sum of the "
          "elements under the filter, which is not turned, times its weights. Sums are made in float.")
      .input("data", {}, "Any type but bool; channels first or last.")
      .input("filter", {},
             "FLOAT, with an axis for each axis of the data besides frames and channels. With a layout that begins "
             "with F it holds one filter for each frame.")
      .holds("filter")
      .input("fill_value", {},
             "With `border=\"constant\"`: what lies outside, one value of the data's type; usually 0.")
      .optional()
      .holds("nothing")
      .output("filtered", "Layout of the input, its type or FLOAT.")
      .arg("anchor", &CorrelationArgs::anchor,
           "The filter's element that lies over the result's place: one for all axes, or one for each, outermost "
           "first. -1 stands for the extent's half, rounded down. Without meaning where `mode` is \"valid\".",
           kPerSample)
      .arg("border", &CorrelationArgs::border,
           "What lies outside: \"reflect_101\" (dcb|abcd), \"reflect_1001\" or \"reflect\" (cba|abcd), \"wrap\" "
           "(bcd|abcd), \"clamp\" or \"replicate\" (aaa|abcd) or \"constant\" (`fill_value`).")
      .arg("mode", &CorrelationArgs::mode,
           "\"same\": the result has the input's extents. \"valid\": it has only places where all of the filter lies "
           "inside.")
      .arg("dtype", &CorrelationArgs::dtype, "FLOAT, or the input's type, which it is when not given.")
      .alias("experimental.filter")
      .tolerance(1)
      .differs("The CPU filters volumes and all types but bool, too.")
      .differs("Without a layout the input may have an axis of channels behind those of the filter.");
}

}  // namespace penstock
