#include "ops/geometry/rotated_canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace penstock {

int64_t least_extent(double exact) {
  constexpr double kRounding = 1e-2;  // so little of an element is nothing
  return static_cast<int64_t>(std::ceil(exact - kRounding));
}

/// Where the picture turns by more than 45 degrees its rows show columns. The angle is in single precision, as DALI has
/// it: that decides at 45 degrees.
CanvasNeed picture_need(const Shape& in, float angle) {
  const float radians = angle * static_cast<float>(std::numbers::pi / 180);
  const double c = std::abs(std::cos(double{radians})), s = std::abs(std::sin(double{radians}));
  const auto h = static_cast<double>(in[0]), w = static_cast<double>(in[1]);
  const bool upright = s <= c;
  return {{least_extent(c * h + s * w), least_extent(c * w + s * h)}, upright ? in : Shape{in[1], in[0]}};
}

Shape canvas_for(std::span<const CanvasNeed> frames) {
  Shape canvas = frames[0].least;
  const bool given = frames[0].shown.ndim() == 0;
  for (int axis = 0; axis < canvas.ndim(); ++axis) {
    size_t odd = 0;
    for (const CanvasNeed& one : frames) {
      canvas[axis] = std::max(canvas[axis], one.least[axis]);
      if (!given) odd += static_cast<size_t>(one.shown[axis] & 1);
    }
    if (!given) canvas[axis] += (canvas[axis] & 1) ^ static_cast<int64_t>(2 * odd > frames.size());
  }
  return canvas;
}

}  // namespace penstock
