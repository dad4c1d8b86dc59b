#include "ops/image/resample_image.h"

#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "kernels/resample/job.h"

namespace penstock {
namespace {

bool is_spatial(char letter) { return letter == 'D' || letter == 'H' || letter == 'W'; }

kernels::AxisGeometry axis_geometry(int64_t extent, const AxisSize& size, const FilterArgs& args) {
  const bool shrinks = static_cast<float>(size.out) < std::abs(size.end - size.start);
  const bool antialias = shrinks && args.antialias;
  const InterpType asked = (shrinks ? args.min_filter : args.mag_filter).value_or(args.interp_type);
  return {.in = extent,
          .out = size.out,
          .start = size.start,
          .end = size.end,
          .filter = antialias && asked == InterpType::kLinear ? InterpType::kTriangular : asked,
          .antialias = antialias,
          .begin = 0,
          .stop = size.out};
}

}  // namespace

Names resample_image_layouts() { return {"HWC", "FHWC", "CHW", "FCHW", "CFHW"}; }

Names resample_layouts() { return {"HWC", "FHWC", "CHW", "FCHW", "CFHW", "DHWC", "FDHWC", "CDHW", "FCDHW", "CFDHW"}; }

SpatialAxes::SpatialAxes(const TensorDesc& desc) {
  const Layout& layout = desc.layout;
  while (first < layout.ndim() && !is_spatial(layout[first])) outer *= desc.shape[first++];
  while (first + count < layout.ndim() && is_spatial(layout[first + count])) ++count;
  for (int i = first + count; i < layout.ndim(); ++i) {
    PENSTOCK_CHECK(!is_spatial(layout[i]), ArgumentError, "the spatial axes of layout \"{}\" are not adjacent",
                   layout.view());
    channels *= desc.shape[i];
  }
  PENSTOCK_CHECK(count == 2 || count == 3, ArgumentError, "layout \"{}\" is neither of an image nor of a volume",
                 layout.view());
}

Shape spatial_extents(const TensorDesc& desc) {
  const SpatialAxes axes(desc);
  return Shape(std::span(desc.shape.begin() + axes.first, static_cast<size_t>(axes.count)));
}

TensorDesc ImageResample::describe(const TensorDesc& in, std::span<const AxisSize> sizes, const FilterArgs& args) {
  const SpatialAxes axes(in);
  first_ = axes.first, count_ = axes.count;
  out_ = in;
  out_.dtype = args.dtype.value_or(in.dtype);
  PENSTOCK_CHECK(out_.dtype == in.dtype || out_.dtype == DType::kFloat, ArgumentError,
                 "`dtype` must be the input's type ({}) or float, got {}", name_of(in.dtype), name_of(out_.dtype));
  kernels::combine_lines(in.dtype);  // refuses what cannot be resampled
  full_ = {.z = {}, .y = {}, .x = {}, .channels = axes.channels};
  for (int i = 0; i < count_; ++i) {
    const AxisSize& size = sizes[static_cast<size_t>(i)];
    axis(i) = axis_geometry(in.shape[first_ + i], size, args);
    out_.shape[first_ + i] = size.out;
  }
  PENSTOCK_CHECK(in.shape.volume() > 0 || out_.shape.volume() == 0, ArgumentError, "an empty input {} cannot become {}",
                 to_string(in.shape), to_string(out_.shape));
  empty_ = out_.shape.volume() == 0;
  return out_;
}

TensorDesc ImageResample::crop(std::span<const int64_t> begin, std::span<const int64_t> extent) {
  for (int i = 0; i < count_; ++i) {
    const auto at = static_cast<size_t>(i);
    axis(i).begin = begin[at];
    axis(i).stop = begin[at] + extent[at];
    out_.shape[first_ + i] = extent[at];
  }
  PENSTOCK_CHECK(!empty_ || out_.shape.volume() == 0, ArgumentError, "an empty picture cannot become {}",
                 to_string(out_.shape));
  return out_;
}

void ImageResample::flip(int i) {
  kernels::AxisGeometry& flipped = axis(i);
  std::swap(flipped.start, flipped.end);
  flipped = {.in = flipped.in,
             .out = flipped.out,
             .start = flipped.start,
             .end = flipped.end,
             .filter = flipped.filter,
             .antialias = flipped.antialias,
             .begin = flipped.out - flipped.stop,
             .stop = flipped.out - flipped.begin};
}

PixelMap ImageResample::pixel_map() const {
  PixelMap map{.axes = count_};
  for (size_t i = 0; i < static_cast<size_t>(count_); ++i) {
    const kernels::AxisGeometry& axis = i == 0 ? full_.x : i == 1 ? full_.y : full_.z;
    PENSTOCK_CHECK(axis.start != axis.end, ArgumentError,
                   "labels cannot follow a picture that is made of a region without extent, from {} to {} along {}",
                   axis.start, axis.end, "xyz"[i]);
    const double scale = static_cast<double>(axis.out) / (double{axis.end} - double{axis.start});
    map.in[i] = static_cast<double>(axis.in);
    map.out[i] = static_cast<double>(axis.stop - axis.begin);
    map.to_output[i][i] = scale;
    map.to_output[i][3] = -double{axis.start} * scale - static_cast<double>(axis.begin);
  }
  return map;
}

kernels::Geometry ImageResample::part(const Region& wanted) const {
  kernels::Geometry part = full_;
  for (int i = 0; i < count_; ++i) {
    kernels::AxisGeometry& made = axis(part, i);
    made.stop = made.begin + wanted.end(first_ + i);
    made.begin += wanted.begin(first_ + i);
  }
  return part;
}

Region ImageResample::source(const TensorDesc& in, const Region& wanted) {
  if (empty_ || wanted.empty()) return {};
  kernels::Geometry made = part(wanted);
  Region needed = whole(in);
  for (int at = 0; at < first_; ++at) needed.set(at, wanted.begin(at), wanted.end(at));
  for (int i = 0; i < count_; ++i) {
    const auto [begin, end] = kernels::touched(axis(made, i));
    needed.set(first_ + i, begin, end);
  }
  return needed;
}

PlaneRegion ImageResample::rows_and_columns(const Region& held) const {
  const int y = first_ + count_ - 2, x = y + 1;
  return {held.begin(y), held.begin(x), held.end(y), held.end(x)};
}

kernels::ResampleAxis ImageResample::put(const kernels::AxisGeometry& geometry, int64_t held,
                                         device::Staging& staging) {
  axis_.assign(geometry);
  const auto [first, on_gpu] = staging.make<int32_t>(axis_.first.size());
  std::ranges::transform(axis_.first, first.begin(), [&](int32_t pixel) { return pixel - static_cast<int32_t>(held); });
  return {.taps = axis_.taps,
          .extent = static_cast<int32_t>(axis_.size()),
          .first = on_gpu,
          .weights = staging.put(std::span<const float>(axis_.weights))};
}

kernels::TapAxis ImageResample::tap_axis(const kernels::AxisGeometry& geometry, int64_t held, device::Staging& staging,
                                         ElementWork& work) {
  if (auto formula = kernels::linear_axis(geometry)) {
    formula->held = static_cast<int32_t>(held);
    work.make_tables(formula->bytes());
    return {.taps = 2, .formula = *formula};
  }
  const kernels::ResampleAxis tables = put(geometry, held, staging);
  return {.first = tables.first, .weights = tables.weights, .taps = tables.taps};
}

void ImageResample::compile(const Value& in, const Value& out, device::Staging& staging, ElementWork& work) {
  work.begin(held_part(out));
  if (empty_ || out.held.empty()) {
    work.load_value(out_.dtype, 0);
    return;
  }
  const kernels::Geometry made = part(out.held);
  const TensorDesc held = held_part(in);
  const kernels::Strides strides = kernels::dense_strides(held.shape);
  ElementView around = ElementView::broadcast(held.shape, held_part(out).shape);
  for (int at = 0; at < first_; ++at) around.start[static_cast<size_t>(at)] = out.held.begin(at) - in.held.begin(at);
  int lanes = -1;  // the last axis around the spatial ones
  for (int axis = 0; axis < held.shape.ndim(); ++axis)
    if (axis < first_ || axis >= first_ + count_)
      lanes = axis;
    else
      around.axis[static_cast<size_t>(axis)] = -1;
  work.lay_lanes(lanes);
  const uint8_t pixels = work.input(0, held, around);
  const auto along_axis = [&](const kernels::AxisGeometry& axis, int64_t from, int spatial) {
    const int at = first_ + spatial;  // of the tensor; volumes alone have z
    ElementView along;
    along.axis.fill(-1);
    if (spatial >= 0) along.axis[static_cast<size_t>(at)] = 0, along.step[static_cast<size_t>(at)] = 1;
    work.number(Shape{axis.stop - axis.begin}, along);
    kernels::TapAxis taps = tap_axis(axis, from, staging, work);
    taps.stride = spatial < 0 ? 0 : static_cast<int32_t>(strides[static_cast<size_t>(at)]);
    return taps;
  };
  kernels::ResampleTable filled;
  const PlaneRegion plane = rows_and_columns(in.held);
  filled.z = along_axis(made.z, first_plane(in.held), count_ - 3);
  filled.y = along_axis(made.y, plane.y0, count_ - 2);
  filled.x = along_axis(made.x, plane.x0, count_ - 1);
  const kernels::ResampleTable& table = filled;
  const bool linear = filled.z.taps == 1 && filled.y.taps == 2 && filled.x.taps == 2;
  work.add({.step = kernels::Step::kResample,
            .operand = pixels,
            .option = linear ? kernels::kLinear : uint8_t{0},
            .from = held.dtype,
            .immediate = {ElementWork::address(staging.put(std::span(&table, 1)))}},
           DType::kFloat);
  work.convert(out_.dtype);
}

void ImageResample::describe(const Value& in, const Value& out, device::Staging& staging, kernels::ResampleJob& job) {
  if (empty_ || out.held.empty()) {
    job.outer = 0;
    return;
  }
  const kernels::Geometry made = part(out.held);
  const PlaneRegion plane = rows_and_columns(in.held);
  job.z = put(made.z, first_plane(in.held), staging);
  job.y = put(made.y, plane.y0, staging);
  job.x = put(made.x, plane.x0, staging);
  job.channels = static_cast<int32_t>(full_.channels);
  job.outer = static_cast<int32_t>(out.held.outer(first_));
  job.rows = static_cast<int32_t>(plane.height());
  job.columns = static_cast<int32_t>(plane.width());
  job.in_planes = static_cast<int32_t>(count_ == 3 ? in.held.extent(first_) : 1);
  int64_t skipped = 0;
  for (int at = 0; at < first_; ++at) skipped = skipped * in.held.extent(at) + out.held.begin(at) - in.held.begin(at);
  job.skipped = static_cast<int32_t>(skipped);
}

void ImageResample::run(Sample& s, const Value& in, Value& out) {
  if (empty_ || out.held.empty()) return;
  resampler_.plan(part(out.held));
  const int64_t outer = out.held.outer(first_);
  const auto in_bytes = static_cast<int64_t>(bytes_of(in.tensor, in.held)) / outer;
  const auto out_bytes = static_cast<int64_t>(bytes_of(out_, out.held)) / outer;
  auto* scratch = s.scratch_array<float>(resampler_.scratch_size());
  for (int64_t i = 0; i < outer; ++i)
    resampler_.run(in.tensor.dtype, in.tensor.data + i * in_bytes, rows_and_columns(in.held), out_.dtype,
                   out.tensor.data + i * out_bytes, scratch, first_plane(in.held));
}

}  // namespace penstock
