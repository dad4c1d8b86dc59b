#include "ops/geometry/picture_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/check.h"
#include "ops/geometry/homography.h"

namespace penstock {
namespace {

constexpr double kRounding = 1e-3;  // pixels of the source: so far a place may lie outside and count as on the border
constexpr int64_t kFixedRows = 6, kNumbers = 4;

}  // namespace

void PictureGeometry::begin(const Place& extents, int axes) {
  begun_ = true;
  axes_ = axes;
  source_ = picture_ = extents;
  see_all(extents);
}

void PictureGeometry::follow(const PixelMap& map) {
  if (!begun_) begin(map.in, map.axes);
  PENSTOCK_CHECK(map.in == picture_ && map.axes == axes_, DataError,
                 "a picture of {} pixels was to be followed, but has {} at the next operator",
                 told_extents(picture_, axes_), told_extents(map.in, map.axes));
  to_picture_ = product(map.to_output, to_picture_);
  picture_ = map.out;
  see_all(map.out);
}

/// What lies in the extents of the picture so far, told in places of the source: w is positive there.
void PictureGeometry::see_all(const Place& extents) {
  const HalfSpace& w = to_picture_[3];
  see(w);
  for (size_t axis = 0; axis < static_cast<size_t>(axes_); ++axis) {
    const HalfSpace& low = to_picture_[axis];
    HalfSpace high;
    for (size_t i = 0; i < high.size(); ++i) high[i] = extents[axis] * w[i] - low[i];
    see(low);
    see(high);
  }
}

/// Coefficients become distances in pixels. What is no border, as w of affine maps, cuts nothing.
void PictureGeometry::see(HalfSpace half_space) {
  const double length = std::hypot(half_space[0], half_space[1], half_space[2]);
  if (length == 0) return;
  for (double& one : half_space) one /= length;
  if (std::ranges::find(seen_, half_space) == seen_.end()) seen_.push_back(half_space);
}

bool PictureGeometry::is_seen(const Place& in_source) const {
  return std::ranges::all_of(seen_,
                             [&](const auto& half_space) { return depth_in(half_space, in_source) >= -kRounding; });
}

Place PictureGeometry::moved(const Place& in_source) const {
  constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
  const auto along = [&](size_t row) { return depth_in(to_picture_[row], in_source); };
  const double w = along(3);
  if (!(w > 0)) return {kNowhere, kNowhere, kNowhere};
  return {along(0) / w, along(1) / w, along(2) / w};
}

bool PictureGeometry::mirrors() const { return determinant(to_picture_) < 0; }

void PictureGeometry::cut(std::vector<Place>& polygon) const {
  for (const HalfSpace& half_space : seen_) penstock::cut(polygon, half_space);
}

TensorDesc PictureGeometry::description() const {
  return {.dtype = DType::kFloat64, .shape = {kFixedRows + static_cast<int64_t>(seen_.size()), kNumbers}, .layout = {}};
}

void PictureGeometry::write(double* rows) const {
  for (const auto& row : to_picture_) rows = std::ranges::copy(row, rows).out;
  for (const Place& extents : {source_, picture_}) {
    rows = std::ranges::copy(extents, rows).out;
    *rows++ = axes_;
  }
  for (const auto& half_space : seen_) rows = std::ranges::copy(half_space, rows).out;
}

PictureGeometry PictureGeometry::read(const TensorView& tensor) {
  const Shape& shape = tensor.shape;
  PENSTOCK_CHECK(shape.ndim() != 3, ArgumentError,
                 "the frames of a sequence were moved each in its own way: labels follow whole samples only");
  PENSTOCK_CHECK(tensor.dtype == DType::kFloat64 && shape.ndim() == 2 && shape[1] == kNumbers &&
                     (shape[0] == 0 || shape[0] >= kFixedRows),
                 ArgumentError, "the geometry of a picture is a FLOAT64 of {} or more rows of {}, got {} of shape {}",
                 kFixedRows, kNumbers, name_of(tensor.dtype), to_string(shape));
  PictureGeometry geometry;
  if (shape[0] == 0) return geometry;
  const double* row = tensor.as<double>();
  geometry.begun_ = true;
  for (auto& one : geometry.to_picture_) one = {row[0], row[1], row[2], row[3]}, row += kNumbers;
  geometry.axes_ = row[3] == 3 ? 3 : 2;
  for (Place* extents : {&geometry.source_, &geometry.picture_}) *extents = {row[0], row[1], row[2]}, row += kNumbers;
  for (int64_t i = kFixedRows; i < shape[0]; ++i, row += kNumbers)
    geometry.seen_.push_back({row[0], row[1], row[2], row[3]});
  return geometry;
}

Place units_of(const Place& extents, bool ratio) {
  if (!ratio) return {1, 1, 1};
  return {std::max(extents[0], 1.0), std::max(extents[1], 1.0), std::max(extents[2], 1.0)};  // empty: all places are 0
}

std::string told_extents(const Place& extents, int axes) {
  return axes == 3 ? fmt::format("{} x {} x {}", extents[2], extents[1], extents[0])
                   : fmt::format("{} x {}", extents[1], extents[0]);
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
