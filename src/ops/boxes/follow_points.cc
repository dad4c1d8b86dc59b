#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/check.h"
#include "ops/geometry/picture_geometry.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FollowPointsArgs {
  bool ratio = false;
  std::vector<int64_t> flip_pairs;
};

class FollowPoints final : public SampleOperator<FollowPointsArgs> {
 public:
  void setup() override {
    const std::vector<int64_t>& pairs = constants().flip_pairs;
    PENSTOCK_CHECK(pairs.size() % 2 == 0, ArgumentError, "`flip_pairs` holds pairs of key points, got {} numbers",
                   pairs.size());
    for (size_t i = 0; i < pairs.size(); ++i)
      PENSTOCK_CHECK(pairs[i] >= 0 && std::ranges::count(pairs, pairs[i]) == 1, ArgumentError,
                     "`flip_pairs` names each key point once at most, by a number from 0; got {}{}", pairs[i],
                     pairs[i] < 0 ? "" : " twice");
  }
  void infer(Sample& s) const override {
    const TensorView& points = s.in(0).tensor;
    const int last = points.shape.ndim() - 1;
    PENSTOCK_CHECK(points.dtype == DType::kFloat, TypeError, "points must be FLOAT, got {}", name_of(points.dtype));
    const int64_t axes = PictureGeometry::read(s.in(1).tensor).axes();
    PENSTOCK_CHECK(last >= 1 && (points.shape[last] == axes || points.shape[last] == axes + 1), ArgumentError,
                   "`data`: points {} are rows of {}, or of {} and how visible they are; got the shape {}",
                   axes == 3 ? "in volumes" : "on pictures", axes == 3 ? "x, y and z" : "x and y",
                   axes == 3 ? "x, y, z" : "x, y", to_string(points.shape));
    for (const int64_t point : constants().flip_pairs)
      PENSTOCK_CHECK(point < points.shape[last - 1], ArgumentError,
                     "`flip_pairs` names key point {}; there are {} (shape {})", point, points.shape[last - 1],
                     to_string(points.shape));
    s.out(0).describe(points);
  }
  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const PictureGeometry geometry = PictureGeometry::read(s.in(1).tensor);
    const int last = in.shape.ndim() - 1;
    const int64_t numbers = in.shape[last], count = in.shape.volume() / numbers;
    const float* from = in.as<float>();
    float* to = s.out(0).tensor.as<float>();
    for (int64_t i = 0; i < count; ++i) move(geometry, from + i * numbers, numbers, to + i * numbers);
    if (geometry.mirrors() && count > 0) exchange(to, in.shape[last - 1], numbers, count);
  }

 private:
  void move(const PictureGeometry& geometry, const float* from, int64_t numbers, float* to) const {
    const Place before = units_of(geometry.source(), constants().ratio);
    const Place after = units_of(geometry.picture(), constants().ratio);
    const auto axes = static_cast<size_t>(geometry.axes());
    Place in_source{};
    for (size_t axis = 0; axis < axes; ++axis) in_source[axis] = from[axis] * before[axis];
    const Place place = geometry.moved(in_source);
    for (size_t axis = 0; axis < axes; ++axis) to[axis] = static_cast<float>(place[axis] / after[axis]);
    if (numbers == geometry.axes()) return;
    const bool is_there = from[axes] > 0;
    to[axes] = is_there && std::isfinite(place[0]) && geometry.is_seen(in_source) ? from[axes] : 0;
    if (!is_there || !std::all_of(to, to + axes, [](float one) { return std::isfinite(one); }))
      std::fill_n(to, axes, 0.0f);
  }
  void exchange(float* points, int64_t per_object, int64_t numbers, int64_t count) const {
    const std::vector<int64_t>& pairs = constants().flip_pairs;
    for (int64_t first = 0; first < count; first += per_object)
      for (size_t i = 0; i < pairs.size(); i += 2)
        std::swap_ranges(points + (first + pairs[i]) * numbers, points + (first + pairs[i] + 1) * numbers,
                         points + (first + pairs[i + 1]) * numbers);
  }
};

}  // namespace

[[gnu::cold]] void register_follow_points(Registry& r) {
  r.add<FollowPoints>("follow_points")
      .doc("Moves points along with their picture.")
      .input("points", {},
             "FLOAT; x and y (in volumes z, too), or those and how visible the point is, lie along the last axis.")
      .holds("points")
      .input("geometry", {}, "Where the picture's pixels went.")
      .reads_data()
      .holds("geometry")
      .output("points", "Shape and layout of the input.")
      .arg("ratio", &FollowPointsArgs::ratio, "Points are in parts of the picture's extents.")
      .arg("flip_pairs", &FollowPointsArgs::flip_pairs,
           "Pairs of key points, by their numbers, that are exchanged where left and right are.")
      .host_only("a few points a sample")
      .hidden();
}

}  // namespace penstock
