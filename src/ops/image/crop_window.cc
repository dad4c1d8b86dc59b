#include "ops/image/crop_window.h"

#include <cmath>

#include "core/check.h"

namespace penstock {
namespace {

void check_crop_size(const std::vector<float>& crop) {
  PENSTOCK_CHECK(crop.size() == 2 || crop.size() == 3, ArgumentError,
                 "`crop` argument should have 2 or 3 elements, (height, width) or (depth, height, width), got {}",
                 crop.size());
}

void check_rounding(const std::string& rounding) {
  PENSTOCK_CHECK(rounding == "round" || rounding == "truncate", ArgumentError,
                 "`rounding` value {} is not supported. Supported values are \"round\", or \"truncate\".", rounding);
}

constexpr float kFar = 0x1p31f;  // no tensor is as long, and nothing computed from it overflows

struct Extents {
  float d = 0, h = 0, w = 0;
};

Extents asked_extents(const CropArgs& args) {
  if (args.crop.empty()) return {args.crop_d.value_or(0), args.crop_h.value_or(0), args.crop_w.value_or(0)};
  check_crop_size(args.crop);
  const size_t h = args.crop.size() - 2;
  return {h > 0 ? args.crop[0] : 0, args.crop[h], args.crop[h + 1]};
}

}  // namespace

CropWindow whole_window(const Shape& input) {
  CropWindow window{input, input};
  for (int i = 0; i < input.ndim(); ++i) window.anchor[i] = 0;
  return window;
}

PlaneRegion plane_region(const CropWindow& window, const Layout& layout) {
  PlaneRegion region{0, 0, 1, 1};
  if (const int h = layout.find('H'); h >= 0) region.y0 = window.anchor[h], region.y1 = region.y0 + window.extent[h];
  if (const int w = layout.find('W'); w >= 0) region.x0 = window.anchor[w], region.x1 = region.x0 + window.extent[w];
  return region;
}

void check_crop_args(const OpSpec& spec, const CropArgs& args) {
  const bool h = spec.given("crop_h"), w = spec.given("crop_w"), d = spec.given("crop_d");
  PENSTOCK_CHECK(h == w, ArgumentError, "`crop_w` and `crop_h` arguments must be provided together");
  PENSTOCK_CHECK(!d || w, ArgumentError, "`crop_d` argument must be provided together with `crop_w` and `crop_h`");
  PENSTOCK_CHECK(!spec.given("crop") || !h, ArgumentError,
                 "`crop` argument is not compatible with `crop_h`, `crop_w`, `crop_d`; give one or the others");
  if (!args.crop.empty()) check_crop_size(args.crop);
  check_rounding(args.rounding);
}

CropWindow crop_window(const CropArgs& args, const TensorDesc& input) {
  check_rounding(args.rounding);
  const Extents asked = asked_extents(args);
  CropWindow window = whole_window(input.shape);
  const auto place = [&](int axis, float extent, float position) {
    PENSTOCK_CHECK(position >= 0 && position <= 1, ArgumentError,
                   "Anchor for dimension {} ({}) is out of range [0.0, 1.0]", axis, position);
    if (axis < 0) return;
    PENSTOCK_CHECK(std::isfinite(extent) && extent < kFar, ArgumentError,
                   "crop extent {} for dimension {} is out of all range", extent, axis);
    const int64_t pixels = extent > 0 ? static_cast<int64_t>(extent) : 0;
    if (pixels > 0) window.extent[axis] = pixels;
    const double anchor = static_cast<double>(position) * static_cast<double>(input.shape[axis] - window.extent[axis]);
    window.anchor[axis] = static_cast<int64_t>(args.rounding == "round" ? std::round(anchor) : std::trunc(anchor));
  };
  const Layout& layout = input.layout;
  place(layout.find('H'), asked.h, args.crop_pos_y);
  place(layout.find('W'), asked.w, args.crop_pos_x);
  place(layout.has('D') ? layout.find('D') : layout.find('F'), asked.d, args.crop_pos_z);
  return window;
}

}  // namespace penstock
