#include "ops/base/sampled.h"

#include <cmath>
#include <limits>

#include "core/check.h"
#include "kernels/sampled/sampled.h"
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

void check_sampled(const SampledArgs& args) {
  PENSTOCK_CHECK(args.interp_type == InterpType::kNN || args.interp_type == InterpType::kLinear, ArgumentError,
                 "`interp_type` must be INTERP_NN or INTERP_LINEAR");
}

Shape sampled_size(const SampledArgs& args, const Shape& usual) {
  if (args.size.empty()) return usual;
  PENSTOCK_CHECK(args.size.size() == static_cast<size_t>(usual.ndim()), ArgumentError,
                 "`size` needs one value for each of the {} spatial axes, got {}", usual.ndim(), args.size.size());
  Shape size = usual;
  for (int i = 0; i < size.ndim(); ++i) {
    const float asked = args.size[static_cast<size_t>(i)];
    PENSTOCK_CHECK(asked >= 0.5f && asked < 0x1p31f, ArgumentError, "`size` must be positive and below 2^31, got {}",
                   asked);
    size[i] = std::lround(asked);
  }
  return size;
}

TensorDesc SampledPlan::describe(const TensorDesc& in, const Shape& size, const Affine& to_source,
                                 const SampledArgs& args) {
  dispatch_among<uint8_t, int16_t, uint16_t, int32_t, float>(in.dtype, [](auto) {});
  const SpatialAxes axes(in);
  TensorDesc out = in;
  out.dtype = args.dtype.value_or(in.dtype);
  PENSTOCK_CHECK(out.dtype == in.dtype || out.dtype == DType::kFloat, TypeError,
                 "`dtype` must be the input's type ({}) or FLOAT, got {}", name_of(in.dtype), name_of(out.dtype));
  const bool nearest = args.interp_type == InterpType::kNN;
  whole_ = {.source = {.channels = extent_of(axes.channels),
                       .ndim = axes.count,
                       .sampling = nearest ? kernels::Sampling::kNearest : kernels::Sampling::kLinear,
                       .clamp = !args.fill_value},
            .target = {},
            .map = single_precision(to_source),
            .frames = extent_of(axes.outer)};
  for (int i = 0; i < axes.count; ++i) {
    const int axis = axes.count - 1 - i;  // x is the last one
    whole_.source.size[axis] = extent_of(in.shape[axes.first + i]);
    whole_.target.extent[axis] = extent_of(size[i]);
    out.shape[axes.first + i] = size[i];
  }
  extent_of(axes.outer * whole_.target.extent[2]);
  empty_ = out.shape.volume() == 0;
  PENSTOCK_CHECK(in.shape.volume() > 0 || empty_ || args.fill_value, ArgumentError,
                 "an empty input {} has no border for a result {}; give a `fill_value`", to_string(in.shape),
                 to_string(out.shape));
  fill_.clear();
  if (args.fill_value.value_or(0) != 0) fill_.assign(static_cast<size_t>(axes.channels), *args.fill_value);
  return out;
}

kernels::SampledTarget SampledPlan::target(const Region& wanted) const {
  kernels::SampledTarget part = whole_.target;
  part.first[0] = static_cast<int32_t>(wanted.x0);
  part.first[1] = static_cast<int32_t>(wanted.y0);
  part.extent[0] = static_cast<int32_t>(wanted.width());
  part.extent[1] = static_cast<int32_t>(wanted.height());
  return part;
}

Region SampledPlan::source(const Region& wanted) const {
  const auto& size = whole_.source.size;
  if (empty_ || wanted.empty() || size[0] == 0 || size[1] == 0 || size[2] == 0) return {};
  const auto need = kernels::sampled_need(whole_.map, target(wanted), {size[0], size[1], size[2]}, whole_.source.clamp);
  return {need.begin[1], need.begin[0], need.end[1], need.end[0]};
}

kernels::SampledJob<kernels::AffineMap> SampledPlan::job(const Value& in, const Value& out) const {
  kernels::SampledJob<kernels::AffineMap> part = whole_;
  part.target = target(empty_ ? Region{} : out.held);
  part.source.held[0] = static_cast<int32_t>(in.held.x0);
  part.source.held[1] = static_cast<int32_t>(in.held.y0);
  part.source.extent[0] = static_cast<int32_t>(in.held.width());
  part.source.extent[1] = static_cast<int32_t>(in.held.height());
  part.source.extent[2] = whole_.source.size[2];
  return part;
}

void SampledPlan::run(const Value& in, Value& out) const {
  kernels::SampledJob<kernels::AffineMap> here = job(in, out);
  here.source.in = in.tensor.data;
  here.source.fill = fill_.empty() ? nullptr : fill_.data();
  here.target.out = out.tensor.data;
  kernels::run_sampled(here, in.tensor.dtype, out.tensor.dtype);
}

}  // namespace penstock
