#include "ops/image/resize_size.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"

namespace penstock {
namespace {

constexpr float kLeastRoi = 1e-3f;  // pixels; thinner regions of interest are widened
constexpr double kGreatest = 0x1p31;

struct Span {
  double start, end;
  double length() const { return end - start; }
};

void check_list(const char* name, const std::vector<float>& list, size_t axes, bool one_for_all) {
  PENSTOCK_CHECK(list.size() == axes || (one_for_all && list.size() == 1), ArgumentError,
                 "`{}` needs one value for each of the {} spatial axes{}, got {}", name, axes,
                 one_for_all ? " or one for all" : "", list.size());
  for (const float value : list)
    PENSTOCK_CHECK(std::abs(value) < kGreatest, ArgumentError, "`{}` is out of all range: {}", name, value);
}

float value_for(const std::vector<float>& list, size_t axis) { return list.size() == 1 ? list[0] : list[axis]; }

/// The mode after resize_shorter and resize_longer, which are modes of their own, and what is asked of every axis.
struct Request {
  std::string mode;
  OfAxes<float> size;
};

Request request_of(const ResizeSizeArgs& args, size_t axes) {
  if (args.resize_shorter != 0) return {"not_smaller", OfAxes<float>(axes, args.resize_shorter)};
  if (args.resize_longer != 0) return {"not_larger", OfAxes<float>(axes, args.resize_longer)};
  Request request{args.mode, OfAxes<float>(axes, 0.0f)};
  if (args.size.empty()) {
    const float xyz[] = {args.resize_x, args.resize_y, args.resize_z};
    for (size_t i = 0; i < axes; ++i) request.size[axes - 1 - i] = xyz[i];
  } else {
    check_list("size", args.size, axes, true);
    for (size_t i = 0; i < axes; ++i) request.size[i] = value_for(args.size, i);
  }
  return request;
}

Span region_of_interest(const ResizeSizeArgs& args, size_t axis, int64_t extent) {
  if (args.roi_start.empty()) return {0, static_cast<double>(extent)};
  const double unit = args.roi_relative ? static_cast<double>(extent) : 1;
  Span roi{args.roi_start[axis] * unit, args.roi_end[axis] * unit};
  if (std::abs(roi.length()) < kLeastRoi) {
    const double centre = (roi.start + roi.end) / 2, half = roi.length() < 0 ? -kLeastRoi / 2 : kLeastRoi / 2;
    roi = {centre - half, centre + half};
  }
  return roi;
}

/// Replaces what is asked for by extents in fractions of pixels; the sign says whether the axis is flipped. In float,
/// as DALI has it: of extents whose fraction is about a half one in a thousand would be rounded the other way.
class Sizing {
 public:
  Sizing(OfAxes<float>& size, const OfAxes<float>& in, const std::vector<float>& max_size)
      : size_(size), in_(in), max_size_(max_size) {}

  void apply(const std::string& mode) {
    for (size_t i = 0; i < size_.size(); ++i)
      if (provided(i)) scales_.push_back(std::abs(size_[i]) / in_[i]);
    if (scales_.empty()) {
      for (size_t i = 0; i < size_.size(); ++i) set(i, in_[i]);
    } else if (mode == "default") {
      fill(geometric_mean());
    } else if (mode == "stretch") {
      fill(1);
    } else if (mode == "not_larger") {
      scale_all(*std::min_element(scales_.begin(), scales_.end()));
    } else {
      scale_all(*std::max_element(scales_.begin(), scales_.end()));
    }
  }

 private:
  bool provided(size_t i) const { return size_[i] != 0 && in_[i] != 0; }
  void set(size_t i, float extent) { size_[i] = std::copysign(extent, size_[i]); }
  float limit(size_t i) const { return value_for(max_size_, i); }

  float geometric_mean() const {
    float product = 1;
    for (const float scale : scales_) product *= scale;
    return std::pow(product, 1.0f / static_cast<float>(scales_.size()));
  }
  void fill(float scale) {
    for (size_t i = 0; i < size_.size(); ++i) {
      if (!provided(i)) set(i, in_[i] * scale);
      if (!max_size_.empty()) set(i, std::min(std::abs(size_[i]), limit(i)));
    }
  }
  void scale_all(float scale) {
    for (size_t i = 0; i < size_.size() && !max_size_.empty(); ++i)
      if (in_[i] > 0) scale = std::min(scale, limit(i) / in_[i]);
    for (size_t i = 0; i < size_.size(); ++i) set(i, in_[i] * scale);
  }

  OfAxes<float>& size_;
  const OfAxes<float>& in_;
  const std::vector<float>& max_size_;
  OfAxes<float> scales_;
};

AxisSize rounded(double size, Span roi, int64_t extent, const ResizeSizeArgs& args, double alignment) {
  PENSTOCK_CHECK(std::abs(size) < kGreatest, ArgumentError, "resizing to {} pixels is out of all range", size);
  const double exact = std::abs(size);
  const double whole = args.size_rounding == "ceil"       ? std::ceil(exact)
                       : args.size_rounding == "truncate" ? std::trunc(exact)
                                                          : std::round(exact);
  const auto out = std::max<int64_t>(extent > 0 ? 1 : 0, static_cast<int64_t>(whole));
  if (std::signbit(size)) std::swap(roi.start, roi.end);
  if (args.subpixel_scale && exact > 0 && static_cast<double>(out) != exact) {
    const double scale = std::min(10.0, static_cast<double>(out) / exact);
    const double fixed = (1 - alignment) * roi.start + alignment * roi.end, length = roi.length() * scale;
    roi = {fixed - length * alignment, fixed + length * (1 - alignment)};
  }
  return {out, static_cast<float>(roi.start), static_cast<float>(roi.end)};
}

void check_mode(const std::string& mode) {
  PENSTOCK_CHECK(mode == "default" || mode == "stretch" || mode == "not_larger" || mode == "not_smaller", ArgumentError,
                 "The argument `mode` must be one of \"default\", \"stretch\", \"not_larger\", \"not_smaller\", got "
                 "\"{}\"",
                 mode);
}

}  // namespace

void check_resize_size(const OpSpec& spec, const ResizeSizeArgs& args) {
  const bool axes = spec.given("resize_x") || spec.given("resize_y") || spec.given("resize_z");
  const bool shorter = spec.given("resize_shorter"), longer = spec.given("resize_longer");
  PENSTOCK_CHECK(int{axes} + int{spec.given("size")} + int{shorter} + int{longer} == 1, ArgumentError,
                 "Exactly one method of specifying size must be used. The available methods: `resize_x`, `resize_y`, "
                 "`resize_z` separately; `size`; `resize_shorter`; `resize_longer`");
  PENSTOCK_CHECK(!(spec.given("mode") && (shorter || longer)), ArgumentError,
                 "`mode` cannot be combined with `resize_shorter` or `resize_longer`, which are modes of their own");
  check_resize_limits(spec, args);
}

void check_resize_limits(const OpSpec& spec, const ResizeSizeArgs& args) {
  PENSTOCK_CHECK(args.size_rounding == "round" || args.size_rounding == "truncate" || args.size_rounding == "ceil",
                 ArgumentError, "`size_rounding` must be \"round\", \"truncate\" or \"ceil\", got \"{}\"",
                 args.size_rounding);
  PENSTOCK_CHECK(spec.given("roi_start") == spec.given("roi_end"), ArgumentError,
                 "`roi_start` and `roi_end` must be given together");
  check_mode(args.mode);
  for (const float limit : args.max_size)
    PENSTOCK_CHECK(limit > 0, ArgumentError, "`max_size` must be positive, got {}", limit);
}

namespace {

/// `scales`: factors of the extents instead of a size, or none.
OfAxes<AxisSize> sized(const ResizeSizeArgs& args, const std::vector<float>* scales, std::span<const int64_t> extents) {
  Request request = scales ? Request{"stretch", OfAxes<float>(extents.size(), 0.0f)} : request_of(args, extents.size());
  check_mode(request.mode);
  check_list("alignment", args.alignment, extents.size(), true);
  if (scales) check_list("scales", *scales, extents.size(), true);
  if (!args.max_size.empty()) check_list("max_size", args.max_size, extents.size(), true);
  if (!args.roi_start.empty() || !args.roi_end.empty()) {
    check_list("roi_start", args.roi_start, extents.size(), false);
    check_list("roi_end", args.roi_end, extents.size(), false);
  }
  OfAxes<Span> roi;
  OfAxes<float> in;
  for (size_t i = 0; i < extents.size(); ++i) {
    Span span = region_of_interest(args, i, extents[i]);
    if (scales) request.size[i] = value_for(*scales, i) * static_cast<float>(extents[i]);
    if (span.length() < 0) {
      std::swap(span.start, span.end);
      request.size[i] = -request.size[i];
    }
    roi.push_back(span);
    in.push_back(extents[i] > 0 ? static_cast<float>(span.length()) : 0.0f);
  }
  Sizing(request.size, in, args.max_size).apply(request.mode);
  OfAxes<AxisSize> sizes;
  for (size_t i = 0; i < extents.size(); ++i)
    sizes.push_back(
        rounded(request.size[i], roi[i], extents[i], args, static_cast<double>(value_for(args.alignment, i))));
  return sizes;
}

}  // namespace

OfAxes<AxisSize> resize_size(const ResizeSizeArgs& args, std::span<const int64_t> extents) {
  return sized(args, nullptr, extents);
}

OfAxes<AxisSize> scaled_size(const ResizeSizeArgs& args, const std::vector<float>& scales,
                             std::span<const int64_t> extents) {
  return sized(args, &scales, extents);
}

}  // namespace penstock
