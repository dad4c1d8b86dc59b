#include "ops/geometry/rotated_canvas.h"

#include <cmath>
#include <numbers>

namespace penstock {

int64_t canvas_extent(double exact, int64_t shown) {
  constexpr double kRounding = 1e-2;  // so little of an element is nothing
  const auto extent = static_cast<int64_t>(std::ceil(exact - kRounding));
  return extent + ((extent ^ shown) & 1);
}

/// Where the picture turns by more than 45 degrees its rows show columns. The angle is in single precision, as DALI has
/// it: that decides at 45 degrees.
Shape picture_canvas(const Shape& in, float angle) {
  const float radians = angle * static_cast<float>(std::numbers::pi / 180);
  const double c = std::abs(std::cos(double{radians})), s = std::abs(std::sin(double{radians}));
  const auto h = static_cast<double>(in[0]), w = static_cast<double>(in[1]);
  const bool upright = s <= c;
  return {canvas_extent(c * h + s * w, upright ? in[0] : in[1]), canvas_extent(c * w + s * h, upright ? in[1] : in[0])};
}

}  // namespace penstock
