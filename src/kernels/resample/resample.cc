#include "kernels/resample/resample.h"

#include <algorithm>
#include <span>
#include <vector>

namespace penstock::kernels {
namespace {

size_t padded(size_t floats) { return (floats + kLinePadding + 15) / 16 * 16; }

/// The lines that went into the last results, so that a line shared by neighbouring results is made once. Works in
/// both directions, as long as a result takes `capacity` consecutive lines at most.
class LineCache {
 public:
  LineCache(int capacity, float* memory, size_t stride)
      : made_(static_cast<size_t>(capacity), -1), memory_(memory), stride_(stride) {}
  /// Line i; make(float*) fills it when it is not there.
  template <class Make>
  const std::byte* line(int64_t i, Make&& make) {
    const size_t slot = static_cast<size_t>(i) % made_.size();
    float* at = memory_ + slot * stride_;
    if (made_[slot] != i) make(at);
    made_[slot] = i;
    return reinterpret_cast<const std::byte*>(at);
  }

 private:
  std::vector<int64_t> made_;
  float* memory_;
  size_t stride_;
};

bool unchanged(const AxisGeometry& g) {
  return g.in == g.out && g.start == 0 && g.end == static_cast<float>(g.in) && g.taps() == 1;
}

/// Whether combining rows before resampling along them is cheaper. Asks the whole output, not the window: the order
/// decides about the last bits, and windows must agree with the whole.
bool cheaper_vertical_first(const Geometry& g) {
  // Measured: a tap along a line costs about twice a tap across lines, where neither lanes nor weights are looked up.
  const double along = unchanged(g.x) ? 0 : 2.0 * static_cast<double>(g.x.taps());
  const auto taps = static_cast<double>(g.y.taps()), rows_out = static_cast<double>(g.y.out);
  const double rows_in = std::min(static_cast<double>(g.y.in), rows_out * taps);
  const auto columns_in = static_cast<double>(g.x.in), columns_out = static_cast<double>(g.x.out);
  return rows_out * (taps * columns_in + along * columns_out) <=
         rows_in * (columns_in + along * columns_out) + rows_out * taps * columns_out;
}

}  // namespace

/// One plane of the source as it lies in memory.
struct Resampler::Plane {
  CombineLines combine;
  const std::byte* data;
  PlaneRegion held;
  int64_t pixel;  // bytes
  /// Row y from the first column that is read.
  const std::byte* row(int64_t y, int64_t x) const {
    return data + ((y - held.y0) * held.width() + (x - held.x0)) * pixel;
  }
};

void Resampler::plan(const Geometry& geometry) {
  if (planned_ && geometry == geometry_) return;
  planned_ = false;
  z_.assign(geometry.z);
  y_.assign(geometry.y);
  x_.assign(geometry.x);
  tabled_ = false;
  vertical_first_ = cheaper_vertical_first(geometry);
  geometry_ = geometry;
  planned_ = true;
}

size_t Resampler::plane_scratch() const {
  const size_t lines = vertical_first_ ? 1 : static_cast<size_t>(y_.taps) + 1;
  return padded(in_line()) + lines * padded(out_line());
}

size_t Resampler::scratch_size() const {
  const size_t plane = padded(static_cast<size_t>(y_.size()) * out_line());
  return plane_scratch() + (z_.copies() ? 0 : (static_cast<size_t>(z_.taps) + 1) * plane);
}

template <class Emit>
void Resampler::vertical_first(const Plane& plane, float* scratch, Emit&& emit) const {
  float* combined = scratch;
  float* result = combined + padded(in_line());
  std::vector<const std::byte*> rows(static_cast<size_t>(y_.taps));
  const bool along = !x_.copies();
  for (int64_t y = 0; y < y_.size(); ++y) {
    for (size_t k = 0; k < rows.size(); ++k)
      rows[k] = plane.row(y_.first[static_cast<size_t>(y)] + static_cast<int64_t>(k), x_.begin);
    plane.combine(rows.data(), y_.weights_of(y), y_.taps, in_line(), combined);
    if (along) resample_line(x_, table_, combined, result);
    emit(y, along ? result : combined);
  }
}

template <class Emit>
void Resampler::horizontal_first(const Plane& plane, float* scratch, Emit&& emit) const {
  float* line = scratch;
  float* result = line + padded(in_line());
  LineCache cache(y_.taps, result + padded(out_line()), padded(out_line()));
  std::vector<const std::byte*> rows(static_cast<size_t>(y_.taps));
  const CombineLines combine = combine_lines(DType::kFloat);
  for (int64_t y = 0; y < y_.size(); ++y) {
    for (size_t k = 0; k < rows.size(); ++k) {
      const int64_t row = y_.first[static_cast<size_t>(y)] + static_cast<int64_t>(k);
      rows[k] = cache.line(row, [&](float* resampled) {
        const std::byte* source = plane.row(row, x_.begin);
        const float one = 1;
        plane.combine(&source, &one, 1, in_line(), line);
        resample_line(x_, table_, line, resampled);
      });
    }
    combine(rows.data(), y_.weights_of(y), y_.taps, out_line(), result);
    emit(y, result);
  }
}

template <class Emit>
void Resampler::resample_plane(const Plane& plane, float* scratch, Emit&& emit) const {
  if (vertical_first_)
    vertical_first(plane, scratch, emit);
  else
    horizontal_first(plane, scratch, emit);
}

void Resampler::run(DType in_type, const std::byte* in, const PlaneRegion& held, DType out_type, std::byte* out,
                    float* scratch, int64_t first_plane) {
  if (!tabled_) table_.assign(x_, geometry_.channels);
  tabled_ = true;
  const NarrowLine narrow = narrow_line(out_type);
  const size_t line = out_line(), rows = static_cast<size_t>(y_.size());
  const size_t line_bytes = line * size_of(out_type), plane_bytes = rows * line_bytes;
  Plane plane{combine_lines(in_type), in, held, geometry_.channels * static_cast<int64_t>(size_of(in_type))};
  const auto select = [&](int64_t z) {
    plane.data = in + (z - first_plane) * held.height() * held.width() * plane.pixel;
  };
  if (z_.copies()) {
    for (int64_t z = 0; z < z_.size(); ++z) {
      select(z_.begin + z);
      std::byte* plane_out = out + static_cast<size_t>(z) * plane_bytes;
      resample_plane(plane, scratch, [&](int64_t y, const float* row) {
        narrow(row, line, plane_out + static_cast<size_t>(y) * line_bytes);
      });
    }
    return;
  }
  float* combined = scratch + plane_scratch();
  const size_t stride = padded(rows * line);
  LineCache cache(z_.taps, combined + stride, stride);
  std::vector<const std::byte*> planes(static_cast<size_t>(z_.taps));
  const CombineLines combine = combine_lines(DType::kFloat);
  for (int64_t z = 0; z < z_.size(); ++z) {
    for (size_t k = 0; k < planes.size(); ++k) {
      const int64_t from = z_.first[static_cast<size_t>(z)] + static_cast<int64_t>(k);
      planes[k] = cache.line(from, [&](float* resampled) {
        select(from);
        resample_plane(plane, scratch, [&](int64_t y, const float* row) {
          std::copy_n(row, line, resampled + static_cast<size_t>(y) * line);
        });
      });
    }
    combine(planes.data(), z_.weights_of(z), z_.taps, rows * line, combined);
    narrow(combined, rows * line, out + static_cast<size_t>(z) * plane_bytes);
  }
}

}  // namespace penstock::kernels
