#include "ops/geometry/picture_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "ops/geometry/homography.h"

namespace penstock {
namespace {

constexpr double kRounding = 1e-3;  // pixels of the source: so far a place may lie outside and count as on the border
constexpr int64_t kFixedRows = 5;

double at(const std::array<double, 3>& row, const Place& place) {
  return row[0] * place[0] + row[1] * place[1] + row[2];
}

}  // namespace

void PictureGeometry::begin(const Place& extents) {
  begun_ = true;
  source_ = picture_ = extents;
  see_rectangle(extents);
}

void PictureGeometry::follow(const PixelMap& map) {
  if (!begun_) begin(map.in);
  PENSTOCK_CHECK(map.in == picture_, DataError,
                 "a picture of {} x {} pixels was to be followed, but has {} x {} at the next operator", picture_[1],
                 picture_[0], map.in[1], map.in[0]);
  to_picture_ = product(map.to_output, to_picture_);
  picture_ = map.out;
  see_rectangle(map.out);
}

/// What lies in the rectangle of the picture so far, told in places of the source: w is positive there.
void PictureGeometry::see_rectangle(const Place& extents) {
  const auto& [x, y, w] = to_picture_;
  see(w);
  for (size_t axis = 0; axis < 2; ++axis) {
    const std::array<double, 3>& low = to_picture_[axis];
    see(low);
    see({extents[axis] * w[0] - low[0], extents[axis] * w[1] - low[1], extents[axis] * w[2] - low[2]});
  }
}

/// Coefficients become distances in pixels. What is no line, as w of affine maps, cuts nothing.
void PictureGeometry::see(std::array<double, 3> half_plane) {
  const double length = std::hypot(half_plane[0], half_plane[1]);
  if (length == 0) return;
  for (double& one : half_plane) one /= length;
  if (std::ranges::find(seen_, half_plane) == seen_.end()) seen_.push_back(half_plane);
}

bool PictureGeometry::is_seen(const Place& in_source) const {
  return std::ranges::all_of(seen_, [&](const auto& half_plane) { return at(half_plane, in_source) >= -kRounding; });
}

Place PictureGeometry::moved(const Place& in_source) const {
  const double w = at(to_picture_[2], in_source);
  if (!(w > 0)) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
  return {at(to_picture_[0], in_source) / w, at(to_picture_[1], in_source) / w};
}

bool PictureGeometry::mirrors() const { return determinant(to_picture_) < 0; }

void PictureGeometry::cut(std::vector<Place>& polygon) const {
  std::vector<Place> kept;
  for (const auto& half_plane : seen_) {
    const auto inside = [&](const Place& place) { return at(half_plane, place) >= 0; };
    if (std::ranges::all_of(polygon, inside)) continue;
    kept.clear();
    for (size_t i = 0; i < polygon.size(); ++i) {
      const Place &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
      const double a = at(half_plane, from), b = at(half_plane, to);
      if (a >= 0) kept.push_back(from);
      if ((a >= 0) == (b >= 0)) continue;
      const double t = a / (a - b);
      kept.push_back({from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])});
    }
    polygon.swap(kept);
  }
}

TensorDesc PictureGeometry::description() const {
  return {.dtype = DType::kFloat64, .shape = {kFixedRows + static_cast<int64_t>(seen_.size()), 3}, .layout = {}};
}

void PictureGeometry::write(double* rows) const {
  for (const auto& row : to_picture_) rows = std::ranges::copy(row, rows).out;
  for (const Place& extents : {source_, picture_}) {
    rows = std::ranges::copy(extents, rows).out;
    *rows++ = 0;
  }
  for (const auto& half_plane : seen_) rows = std::ranges::copy(half_plane, rows).out;
}

PictureGeometry PictureGeometry::read(const TensorView& tensor) {
  const Shape& shape = tensor.shape;
  PENSTOCK_CHECK(shape.ndim() != 3, ArgumentError,
                 "the frames of a sequence were moved each in its own way: labels follow whole samples only");
  PENSTOCK_CHECK(tensor.dtype == DType::kFloat64 && shape.ndim() == 2 && shape[1] == 3 &&
                     (shape[0] == 0 || shape[0] >= kFixedRows),
                 ArgumentError, "the geometry of a picture is a FLOAT64 of 5 or more rows of 3, got {} of shape {}",
                 name_of(tensor.dtype), to_string(shape));
  PictureGeometry geometry;
  if (shape[0] == 0) return geometry;
  const double* row = tensor.as<double>();
  geometry.begun_ = true;
  for (auto& one : geometry.to_picture_) one = {row[0], row[1], row[2]}, row += 3;
  for (Place* extents : {&geometry.source_, &geometry.picture_}) *extents = {row[0], row[1]}, row += 3;
  for (int64_t i = kFixedRows; i < shape[0]; ++i, row += 3) geometry.seen_.push_back({row[0], row[1], row[2]});
  return geometry;
}

Place units_of(const Place& extents, bool ratio) {
  if (!ratio) return {1, 1};
  return {std::max(extents[0], 1.0), std::max(extents[1], 1.0)};  // of an empty picture all places are 0
}

double twice_area(std::span<const Place> polygon) {
  double sum = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const Place &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return std::abs(sum);
}

}  // namespace penstock
