#include "readers/numpy/roi.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "core/parts.h"

namespace penstock {
namespace {

/// One end of the region: a value for each axis that is spoken of, or one for all; none when it was not given, or
/// given empty.
struct End {
  std::string name;
  std::vector<double> values;
  bool relative = false;
  double of(size_t i) const { return values.size() == 1 ? values[0] : values[i]; }
  double at(size_t i, int64_t extent) const { return relative ? part_of(of(i), extent) : of(i); }
};

template <class T>
bool take(const std::optional<std::vector<T>>& list, const char* name, bool relative, End& end) {
  const bool given = list && !list->empty();
  if (given) end = {name, {list->begin(), list->end()}, relative};
  return given;
}

std::vector<int> axes_of(const std::optional<std::vector<int64_t>>& given, int ndim) {
  std::vector<int> axes;
  if (!given || given->empty()) {
    for (int axis = 0; axis < ndim; ++axis) axes.push_back(axis);
    return axes;
  }
  for (const int64_t axis : *given) {
    PENSTOCK_CHECK(axis >= -ndim && axis < ndim, ArgumentError,
                   "Axis {} out of range. Expected range is [{}, {}] for a {}D input", axis, -ndim, ndim - 1, ndim);
    axes.push_back(static_cast<int>(axis < 0 ? axis + ndim : axis));
    PENSTOCK_CHECK(std::count(axes.begin(), axes.end(), axes.back()) == 1, ArgumentError,
                   "Axis index {} occurs more than once in `roi_axes` (might include negative indices referring to the "
                   "same axis)",
                   axis);
  }
  return axes;
}

/// Far inside what int64 holds, so that no sum of coordinates can overflow. @throws ArgumentError, for NaN too
int64_t whole(double value) {
  PENSTOCK_CHECK(std::abs(value) < 0x1p52, ArgumentError, "{} is out of all range for a region of interest", value);
  return std::llround(value);
}

struct Interval {
  int64_t begin, end;
};

Interval interval(const End& start, const End& end, bool is_size, size_t i, int64_t extent) {
  const double from = start.values.empty() ? 0 : start.at(i, extent);
  double to = static_cast<double>(extent);
  if (!end.values.empty()) {
    const double value = end.at(i, extent);
    PENSTOCK_CHECK(!is_size || value >= 0, ArgumentError, "shape value out of range: it cannot be negative. Got: {}",
                   value);
    to = is_size ? from + value : value;
    if (is_size && !end.relative)
      to = static_cast<double>(whole(from)) + value;
    else if (is_size && start.relative)
      to = end_of_parts(start.of(i), end.of(i), extent, from);
  }
  const Interval found{whole(from), whole(to)};
  PENSTOCK_CHECK(found.end >= found.begin, ArgumentError,
                 "end coordinates can't be before start coordinates. Got: start={} end={}", found.begin, found.end);
  return found;
}

void check_count(const End& end, size_t axes) {
  PENSTOCK_CHECK(
      end.values.size() == axes || end.values.size() == 1 || end.name.empty(), ArgumentError,
      "Argument \"{}\" expected shape {} but got {} values, which can't be interpreted as the expected shape.",
      end.name, axes, end.values.size());
}

}  // namespace

RoiArgs RoiArgs::with(const RoiArgs& sample) const {
  const auto either = [](const auto& a, const auto& b) { return a ? a : b; };
  return {either(sample.roi_start, roi_start),         either(sample.roi_end, roi_end),
          either(sample.roi_shape, roi_shape),         roi_axes,
          either(sample.rel_roi_start, rel_roi_start), either(sample.rel_roi_end, rel_roi_end),
          either(sample.rel_roi_shape, rel_roi_shape)};
}

void RoiArgs::check() const {
  PENSTOCK_CHECK(!roi_start || !rel_roi_start, ArgumentError,
                 "\"roi_start\" and \"rel_roi_start\" arguments are mutually exclusive");
  const int ends = roi_end.has_value() + rel_roi_end.has_value() + roi_shape.has_value() + rel_roi_shape.has_value();
  PENSTOCK_CHECK(ends <= 1, ArgumentError,
                 "\"roi_end\", \"rel_roi_end\", \"roi_shape\", and \"rel_roi_shape\" arguments are mutually exclusive");
}

OutOfBounds out_of_bounds_from(const std::string& text) {
  if (text == "error") return OutOfBounds::kError;
  if (text == "pad") return OutOfBounds::kPad;
  if (text == "trim_to_shape") return OutOfBounds::kTrim;
  fail<ArgumentError>("Not supported out_of_bounds_policy: {}; use \"error\", \"pad\" or \"trim_to_shape\"", text);
}

RoiWindow RoiWindow::within(const Region& part) const {
  RoiWindow window = *this;
  for (int axis = 0; axis < output.ndim(); ++axis) {
    const int64_t first = std::clamp(part.begin(axis), at[axis], at[axis] + extent[axis]);
    const int64_t last = std::clamp(part.end(axis), first, at[axis] + extent[axis]);
    window.output[axis] = part.extent(axis);
    window.begin[axis] = begin[axis] + first - at[axis];
    window.extent[axis] = last - first;
    window.at[axis] = std::clamp<int64_t>(first - part.begin(axis), 0, part.extent(axis));
  }
  return window;
}

RoiWindow roi_window(const RoiArgs& args, const Shape& array, OutOfBounds policy) {
  End start, end;
  take(args.roi_start, "roi_start", false, start) || take(args.rel_roi_start, "rel_roi_start", true, start);
  const bool is_size =
      take(args.roi_shape, "roi_shape", false, end) || take(args.rel_roi_shape, "rel_roi_shape", true, end);
  if (!is_size) take(args.roi_end, "roi_end", false, end) || take(args.rel_roi_end, "rel_roi_end", true, end);
  const std::vector<int> axes = axes_of(args.roi_axes, array.ndim());
  check_count(start, axes.size());
  check_count(end, axes.size());
  RoiWindow window{array, array, array, array};
  for (int axis = 0; axis < array.ndim(); ++axis) window.begin[axis] = window.at[axis] = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i];
    auto [from, to] = interval(start, end, is_size, i, array[axis]);
    const int64_t inner = std::clamp<int64_t>(from, 0, array[axis]);
    const int64_t outer = std::clamp<int64_t>(to, inner, array[axis]);
    PENSTOCK_CHECK(
        policy != OutOfBounds::kError || (from >= 0 && to <= array[axis]), ArgumentError,
        "Slice can't be placed out of bounds with current policy. Got: input shape {}, axis {} from {} to {}; "
        "out_of_bounds_policy=\"pad\" or \"trim_to_shape\" allows it",
        to_string(array), axis, from, to);
    if (policy == OutOfBounds::kTrim) from = inner, to = outer;
    window.begin[axis] = inner;
    window.extent[axis] = outer - inner;
    window.output[axis] = to - from;
    window.at[axis] = std::clamp<int64_t>(inner - from, 0, to - from);
  }
  return window;
}

}  // namespace penstock
