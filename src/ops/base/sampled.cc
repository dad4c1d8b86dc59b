#include "ops/base/sampled.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "kernels/sampled/sampled.h"
#include "ops/geometry/homography.h"
#include "ops/image/resample_image.h"

namespace penstock {
namespace {

constexpr int64_t kMostElements = std::numeric_limits<int32_t>::max();  // along an axis

/// The map in the kernels' precision. @throws ArgumentError where that cannot hold it
kernels::AffineMap single_precision(const Affine& map) {
  kernels::AffineMap made;
  for (int row = 0; row < map.ndim; ++row)
    for (int column = 0; column <= map.ndim; ++column) {
      const auto value = static_cast<float>(map(row, column));
      PENSTOCK_CHECK(std::isfinite(value), ArgumentError,
                     "the map from the result to the input is not finite: element ({}, {}) is {}", row, column, value);
      made.matrix[row][column == map.ndim ? kernels::kSampledAxes : column] = value;
    }
  return made;
}

int32_t extent_of(int64_t extent) {
  PENSTOCK_CHECK(extent <= kMostElements, ArgumentError, "an axis of {} elements is longer than {}", extent,
                 kMostElements);
  return static_cast<int32_t>(extent);
}

}  // namespace

Names sampled_layouts() { return {"HWC", "FHWC", "DHWC", "FDHWC"}; }

kernels::Sampling sampling_of(InterpType interp) {
  PENSTOCK_CHECK(interp == InterpType::kNN || interp == InterpType::kLinear, ArgumentError,
                 "`interp_type` must be INTERP_NN or INTERP_LINEAR");
  return interp == InterpType::kNN ? kernels::Sampling::kNearest : kernels::Sampling::kLinear;
}

Shape sampled_size(const std::vector<float>& asked_size, const Shape& usual) {
  if (asked_size.empty()) return usual;
  PENSTOCK_CHECK(asked_size.size() == static_cast<size_t>(usual.ndim()), ArgumentError,
                 "`size` needs one value for each of the {} spatial axes, got {}", usual.ndim(), asked_size.size());
  Shape size = usual;
  for (int i = 0; i < size.ndim(); ++i) {
    const float asked = asked_size[static_cast<size_t>(i)];
    PENSTOCK_CHECK(asked >= 0.5f && asked < 0x1p31f, ArgumentError, "`size` must be positive and below 2^31, got {}",
                   asked);
    size[i] = std::lround(asked);
  }
  return size;
}

TensorDesc SampledFrame::describe(const TensorDesc& in, DType dtype, const Shape& size, const SampledLook& look) {
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in.dtype, [](auto) {});
  const SpatialAxes axes(in);
  TensorDesc out = in;
  out.dtype = dtype;
  source_ = {.channels = extent_of(axes.channels),
             .ndim = axes.count,
             .sampling = look.sampling,
             .clamp = look.border == kernels::Border::kClamp,
             .beyond = look.border};
  target_ = {};
  first_ = axes.first;
  frames_ = extent_of(axes.outer);
  for (int i = 0; i < axes.count; ++i) {
    const int axis = axes.count - 1 - i;  // x is the last one
    source_.size[axis] = extent_of(in.shape[axes.first + i]);
    target_.extent[axis] = extent_of(size[i]);
    out.shape[axes.first + i] = size[i];
  }
  extent_of(axes.outer * target_.extent[2]);
  empty_ = out.shape.volume() == 0;
  PENSTOCK_CHECK(in.shape.volume() > 0 || empty_ || look.border == kernels::Border::kConstant, ArgumentError,
                 "an empty input {} has no border for a result {}; give a `fill_value`", to_string(in.shape),
                 to_string(out.shape));
  PENSTOCK_CHECK(look.fill.size() <= 1 || static_cast<int64_t>(look.fill.size()) == axes.channels, ArgumentError,
                 "`fill_value` needs one value, or one for each of the {} channels of a pixel; got {}", axes.channels,
                 look.fill.size());
  fill_.clear();
  if (std::ranges::any_of(look.fill, [](float value) { return value != 0; }))
    for (int64_t c = 0; c < axes.channels; ++c)
      fill_.push_back(look.fill[look.fill.size() == 1 ? 0 : static_cast<size_t>(c)]);
  return out;
}

kernels::SampledTarget SampledFrame::target(const Region& wanted) const {
  kernels::SampledTarget part = target_;
  for (int axis = 0; axis < source_.ndim; ++axis) {
    part.first[axis] = static_cast<int32_t>(wanted.begin(at(axis)));
    part.extent[axis] = static_cast<int32_t>(wanted.extent(at(axis)));
  }
  return part;
}

kernels::SampledSource SampledFrame::source(const Value& in) const {
  kernels::SampledSource part = source_;
  for (int axis = 0; axis < source_.ndim; ++axis) {
    part.held[axis] = static_cast<int32_t>(in.held.begin(at(axis)));
    part.extent[axis] = static_cast<int32_t>(in.held.extent(at(axis)));
  }
  return part;
}

int32_t SampledFrame::first_frame(const TensorDesc& out, const Region& made) const {
  int64_t number = 0;
  for (int axis = 0; axis < first_; ++axis) number = number * out.shape[axis] + made.begin(axis);
  return static_cast<int32_t>(number);
}

Region SampledFrame::needed(const TensorDesc& in, const Region& wanted, const int64_t (&begin)[kernels::kSampledAxes],
                            const int64_t (&end)[kernels::kSampledAxes]) const {
  Region needed = frames_needed(in, wanted);
  for (int axis = 0; axis < source_.ndim; ++axis) needed.set(at(axis), begin[axis], end[axis]);
  return needed;
}

Region SampledFrame::frames_needed(const TensorDesc& in, const Region& wanted) const {
  if (wanted.empty()) return {};
  Region needed = whole(in);
  for (int axis = 0; axis < first_; ++axis) needed.set(axis, wanted.begin(axis), wanted.end(axis));
  return needed;
}

TensorDesc SampledPlan::describe(const TensorDesc& in, const Shape& size, const Affine& to_source,
                                 const SampledArgs& args) {
  const DType dtype = args.dtype.value_or(in.dtype);
  PENSTOCK_CHECK(dtype == in.dtype || dtype == DType::kFloat, TypeError,
                 "`dtype` must be the input's type ({}) or FLOAT, got {}", name_of(in.dtype), name_of(dtype));
  map_ = single_precision(to_source);
  SampledLook look{.sampling = sampling_of(args.interp_type), .border = kernels::Border::kClamp, .fill = {}};
  if (args.fill_value) look.border = kernels::Border::kConstant, look.fill = {*args.fill_value};
  return frame_.describe(in, dtype, size, look);
}

PixelMap SampledPlan::pixel_map() const {
  const int axes = frame_.all().ndim;
  Homography to_source = PixelMap{}.to_output;
  Place in{}, out{};
  for (size_t i = 0; i < static_cast<size_t>(axes); ++i) {
    std::ranges::copy(map_.matrix[i], to_source[i].begin());
    in[i] = frame_.all().size[i], out[i] = frame_.result().extent[i];
  }
  return looked_up(to_source, in, out, axes);
}

Region SampledPlan::source(const TensorDesc& in, const Region& wanted) const {
  const kernels::SampledSource& all = frame_.all();
  if (frame_.empty() || wanted.empty() || all.size[0] == 0 || all.size[1] == 0 || all.size[2] == 0) return {};
  const auto need =
      kernels::sampled_need(map_, frame_.target(wanted), {all.size[0], all.size[1], all.size[2]}, all.clamp);
  return frame_.needed(in, wanted, need.begin, need.end);
}

void SampledPlan::run(const Value& in, Value& out) const {
  kernels::SampledJob<kernels::AffineMap> here = job(in, out);
  here.source.in = in.tensor.data;
  here.source.fill = frame_.fill();
  here.target.out = out.tensor.data;
  kernels::run_sampled(here, in.tensor.dtype, out.tensor.dtype);
}

}  // namespace penstock
