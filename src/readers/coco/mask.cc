#include "readers/coco/mask.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace penstock::coco {
namespace {

// COCO walks along edges on a grid five times finer than the pixels; a column's line of pixels begins where the walk
// crosses from sample 5 c + 2 to the next. Here crossings are computed one by one instead of walking.
constexpr int64_t kFine = 5, kMiddle = 2;

struct Point {
  int64_t x = 0, y = 0;
};

int64_t truncated(double x) { return static_cast<int64_t>(x); }

constexpr double kFarthest = 0x1p40;

Point fine(const Vertex& v) {
  const auto rounded = [](float x) { return truncated(std::clamp(kFine * double{x} + .5, -kFarthest, kFarthest)); };
  return {rounded(v[0]), rounded(v[1])};
}

/// The first pixel at or below a crossing, as a place in a column of `height` pixels.
int64_t first_below(int64_t fine_y, int64_t height) {
  const double y = (static_cast<double>(fine_y) + .5) / kFine - .5;
  return truncated(std::ceil(std::clamp(y, 0.0, static_cast<double>(height))));
}

/// An edge as a walk of one step along its longer side at a time.
class Edge {
 public:
  Edge(Point from, Point to) {
    const int64_t dx = std::abs(to.x - from.x), dy = std::abs(to.y - from.y);
    wide_ = dx >= dy;
    if (wide_ ? from.x > to.x : from.y > to.y) std::swap(from, to);
    from_ = from;
    steps_ = wide_ ? dx : dy;
    if (steps_ > 0) slope_ = static_cast<double>(wide_ ? to.y - from.y : to.x - from.x) / static_cast<double>(steps_);
  }

  /// Calls fn(column, fine y) for each column of pixels [0, width) whose middle the walk crosses.
  template <class Fn>
  void for_each_crossing(int64_t width, Fn&& fn) const {
    const int64_t ends[] = {x(0), x(steps_)};
    const int64_t low = std::min(ends[0], ends[1]), high = std::max(ends[0], ends[1]);
    const int64_t first = low <= kMiddle ? 0 : (low - kMiddle + kFine - 1) / kFine;
    for (int64_t column = first; column < width && kFine * column + kMiddle < high; ++column)
      fn(column, crossing(kFine * column + kMiddle));
  }

 private:
  int64_t x(int64_t t) const { return wide_ ? from_.x + t : across(from_.x, t); }
  int64_t y(int64_t t) const { return wide_ ? across(from_.y, t) : from_.y + t; }
  int64_t across(int64_t from, int64_t t) const {
    return truncated(static_cast<double>(from) + slope_ * static_cast<double>(t) + .5);
  }
  /// The lesser y of the two steps between which x passes from `at` to `at` + 1, or back.
  int64_t crossing(int64_t at) const {
    if (wide_) return std::min(y(at - from_.x), y(at - from_.x + 1));
    int64_t before = 0, behind = steps_;  // x is on one side there, on the other here
    const bool side = x(0) > at;
    while (behind - before > 1) {
      const int64_t middle = before + (behind - before) / 2;
      (x(middle) > at) == side ? before = middle : behind = middle;
    }
    return y(before);
  }

  Point from_;
  bool wide_ = false;
  int64_t steps_ = 0;
  double slope_ = 0;
};

/// Writes `value` to the pixels [begin, end), counted column by column.
void paint_run(int64_t begin, int64_t end, int32_t value, const Canvas& canvas) {
  int64_t x = begin / canvas.height, y = begin % canvas.height;
  for (int64_t left = end - begin; left > 0; ++x, y = 0) {
    const int64_t count = std::min(left, canvas.height - y);
    int32_t* pixel = canvas.pixels + y * canvas.width + x;
    for (int64_t i = 0; i < count; ++i, pixel += canvas.width) *pixel = value;
    left -= count;
  }
}

}  // namespace

void paint(std::span<const uint32_t> counts, int32_t value, const Canvas& canvas) {
  const int64_t all = canvas.height * canvas.width;
  int64_t at = 0;
  for (size_t i = 0; i < counts.size() && at < all; ++i) {
    const int64_t end = std::min(all, at + counts[i]);
    if (i % 2 == 1) paint_run(at, end, value, canvas);
    at = end;
  }
}

void paint(std::span<const Vertex> polygon, int32_t value, const Canvas& canvas, std::vector<int64_t>& ends) {
  ends.clear();
  for (size_t i = 0; i < polygon.size(); ++i)
    Edge(fine(polygon[i]), fine(polygon[i + 1 < polygon.size() ? i + 1 : 0]))
        .for_each_crossing(canvas.width, [&](int64_t column, int64_t y) {
          ends.push_back(column * canvas.height + first_below(y, canvas.height));
        });
  std::ranges::sort(ends);
  if (ends.size() % 2 == 1) ends.push_back(canvas.height * canvas.width);
  for (size_t i = 0; i < ends.size(); i += 2) paint_run(ends[i], ends[i + 1], value, canvas);
}

}  // namespace penstock::coco
