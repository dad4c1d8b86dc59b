#include "ops/image/slice_window.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/check.h"
#include "core/dispatch.h"
#include "core/parts.h"
#include "ops/axes.h"

namespace penstock {
namespace {

/// The values of one end of the window, one per selected axis; none when that end was not given.
struct Values {
  std::vector<double> list;
  bool relative = false;
  bool named = true;  ///< given by an argument: multiplied in float, as DALI does, so that ties fall on its side
};

template <class T>
Values values(const std::vector<T>& list, bool relative) {
  return {{list.begin(), list.end()}, relative};
}

Values either(const std::vector<int64_t>& absolute, const std::vector<float>& relative) {
  return absolute.empty() ? values(relative, true) : values(absolute, false);
}

Values values(const TensorView& tensor, bool normalized) {
  PENSTOCK_CHECK(tensor.dtype == DType::kInt32 || tensor.dtype == DType::kInt64 || tensor.dtype == DType::kFloat,
                 TypeError, "Unsupported type of anchor and shape arguments: {}; use int32, int64 or float",
                 name_of(tensor.dtype));
  return dispatch_among<int32_t, int64_t, float>(tensor.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::span data(tensor.as<T>(), static_cast<size_t>(tensor.shape.volume()));
    return Values{{data.begin(), data.end()}, std::is_same_v<T, float> && normalized, false};
  });
}

struct Box {
  Values begin, end, size;  // `end` or `size` or neither
};

Box positional_box(const SliceArgs& args, const Sample& s) {
  const TensorView &anchor = s.in(1).tensor, &shape = s.in(2).tensor;
  PENSTOCK_CHECK(anchor.dtype == shape.dtype, TypeError, "Anchor and shape should have the same type. Got: {} and {}",
                 name_of(anchor.dtype), name_of(shape.dtype));
  Box box{values(anchor, args.normalized_anchor), {}, values(shape, args.normalized_shape)};
  PENSTOCK_CHECK(box.begin.list.size() == box.size.list.size(), ArgumentError,
                 "Slice anchor and shape should have the same number of arguments. Got: {} and {}",
                 box.begin.list.size(), box.size.list.size());
  return box;
}

/// Without a layout DALI counts rows, then columns.
AxisList axes_by_name(const std::string& names, const TensorDesc& input) {
  if (!input.layout.empty()) return axes_named(names, input);
  std::vector<int64_t> axes;
  for (char letter : names) {
    PENSTOCK_CHECK(letter == 'H' || letter == 'W', ArgumentError,
                   "Axis '{}' is not present in the input layout, which is empty; use `axes`", letter);
    axes.push_back(letter == 'W');
  }
  return axes_in(axes, input);
}

/// Start and end of the window along one axis.
void place(const Box& box, size_t i, int64_t extent, int64_t& anchor, int64_t& size) {
  const auto scaled = [&](const Values& v, double value) {
    if (!v.relative) return value;
    return v.named ? part_of(value, extent) : value * static_cast<double>(extent);
  };
  const double begin = box.begin.list.empty() ? 0 : scaled(box.begin, box.begin.list[i]);
  double end = static_cast<double>(extent);
  if (!box.end.list.empty()) {
    end = scaled(box.end, box.end.list[i]);
  } else if (!box.size.list.empty()) {
    const double asked = box.size.list[i];
    PENSTOCK_CHECK(asked >= 0, ArgumentError, "shape value out of range: sizes cannot be negative. Got: {}", asked);
    const bool both_relative = box.begin.relative && box.size.relative && !box.begin.list.empty();
    end = both_relative ? end_of_parts(box.begin.list[i], asked, extent, begin) : begin + scaled(box.size, asked);
  }
  PENSTOCK_CHECK(end >= begin, ArgumentError, "end coordinates can't be before start coordinates. Got: start={} end={}",
                 begin, end);
  // Far inside what int64 holds, so that no sum of coordinates can overflow; NaN fails too.
  constexpr double kFar = 0x1p52;
  PENSTOCK_CHECK(begin > -kFar && end < kFar, ArgumentError, "the window from {} to {} is out of all range", begin,
                 end);
  anchor = std::llround(begin);
  size = std::llround(end) - anchor;
}

}  // namespace

SliceWindow::SliceWindow(const OpSpec& spec) : positional_(spec.num_inputs == 3), use_axes_(spec.given("axes")) {
  PENSTOCK_CHECK(!use_axes_ || !spec.given("axis_names"), ArgumentError,
                 "\"axes\" and \"axis_names\" are mutually exclusive");
  PENSTOCK_CHECK(!spec.given("start") || !spec.given("rel_start"), ArgumentError,
                 "\"start\" and \"rel_start\" arguments are mutually exclusive");
  int ends = 0;
  for (const char* name : {"end", "rel_end", "shape", "rel_shape"}) ends += spec.given(name);
  PENSTOCK_CHECK(ends <= 1, ArgumentError,
                 "\"end\", \"rel_end\", \"shape\", and \"rel_shape\" arguments are mutually exclusive");
  const bool named = ends > 0 || spec.given("start") || spec.given("rel_start");
  PENSTOCK_CHECK(!named || spec.num_inputs == 1, ArgumentError,
                 "Named arguments start/end/shape are not compatible with positional anchor and shape inputs");
  PENSTOCK_CHECK(named || positional_, ArgumentError,
                 "Expected named slice arguments (e.g. start/end, start/shape) or positional inputs (start, shape). "
                 "Got {} inputs.",
                 spec.num_inputs);
}

CropWindow SliceWindow::operator()(const SliceArgs& args, const Sample& s, const TensorDesc& input) const {
  const bool all = use_axes_ ? args.axes.empty() : args.axis_names.empty();
  const AxisList axes = all         ? all_axes(input)
                        : use_axes_ ? axes_in(args.axes, input)
                                    : axes_by_name(args.axis_names, input);
  const Box box = positional_ ? positional_box(args, s)
                              : Box{either(args.start, args.rel_start), either(args.end, args.rel_end),
                                    either(args.shape, args.rel_shape)};
  for (const Values* v : {&box.begin, &box.end, &box.size})
    PENSTOCK_CHECK(v->list.empty() || v->list.size() == static_cast<size_t>(axes.count), ArgumentError,
                   "the window has {} values where {} axes are sliced; give one value per axis", v->list.size(),
                   axes.count);
  CropWindow window = whole_window(input.shape);
  for (size_t i = 0; const int axis : axes)
    place(box, i++, input.shape[axis], window.anchor[axis], window.extent[axis]);
  return window;
}

}  // namespace penstock
