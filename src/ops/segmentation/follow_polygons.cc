#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "ops/geometry/picture_geometry.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FollowPolygonsArgs {
  bool ratio = false;
};

struct FollowedPolygons {
  std::vector<int32_t> rows;  ///< mask, first vertex, vertex past the last
  std::vector<Place> vertices;
};

class FollowPolygons final : public SampleOperator<FollowPolygonsArgs, FollowedPolygons> {
 public:
  void infer(Sample& s) const override {
    const TensorView &polygons = s.in(0).tensor, &vertices = s.in(1).tensor;
    PENSTOCK_CHECK(
        polygons.dtype == DType::kInt32 && polygons.shape.ndim() == 2 && polygons.shape[1] == 3, ArgumentError,
        "`polygons` must have rows of 3 INT32 (mask, first vertex, vertex past the last), got {} of shape {}",
        name_of(polygons.dtype), to_string(polygons.shape));
    PENSTOCK_CHECK(vertices.dtype == DType::kFloat && vertices.shape.ndim() == 2 && vertices.shape[1] == 2,
                   ArgumentError, "vertices are rows of x and y, FLOAT; got {} of shape {}", name_of(vertices.dtype),
                   to_string(vertices.shape));
    const PictureGeometry geometry = PictureGeometry::read(s.in(2).tensor);
    PENSTOCK_CHECK(geometry.axes() == 2, ArgumentError,
                   "polygons are outlines on pictures, and this is a volume: let points or masks follow");
    FollowedPolygons& state = this->state(s);
    state.rows.clear(), state.vertices.clear();
    for (int64_t i = 0; i < polygons.shape[0]; ++i) follow(polygons.as<int32_t>() + 3 * i, vertices, geometry, state);
    s.out(0).describe(polygons);
    s.out(1).describe({DType::kFloat, {static_cast<int64_t>(state.vertices.size()), 2}, vertices.layout});
  }
  void run(Sample& s) const override {
    std::ranges::copy(state(s).rows, s.out(0).tensor.as<int32_t>());
    float* to = s.out(1).tensor.as<float>();
    for (const Place& vertex : state(s).vertices)
      for (size_t axis = 0; axis < 2; ++axis) *to++ = static_cast<float>(vertex[axis]);
  }

 private:
  void follow(const int32_t* row, const TensorView& vertices, const PictureGeometry& geometry,
              FollowedPolygons& state) const {
    PENSTOCK_CHECK(row[1] >= 0 && row[1] <= row[2] && row[2] <= vertices.shape[0], DataError,
                   "the vertices [{}, {}) of mask {} are no range of the {} that there are", row[1], row[2], row[0],
                   vertices.shape[0]);
    const Place before = units_of(geometry.source(), constants().ratio);
    const Place after = units_of(geometry.picture(), constants().ratio);
    std::vector<Place> polygon;
    for (int64_t i = row[1]; i < row[2]; ++i) {
      const float* at = vertices.as<float>() + 2 * i;
      PENSTOCK_CHECK(std::isfinite(at[0]) && std::isfinite(at[1]), DataError, "vertex {} of mask {} is not finite", i,
                     row[0]);
      polygon.push_back({at[0] * before[0], at[1] * before[1]});
    }
    geometry.cut(polygon);
    const auto first = static_cast<int32_t>(state.vertices.size());
    for (const Place& corner : polygon) {
      Place place = geometry.moved(corner);
      for (size_t axis = 0; axis < 2; ++axis) {
        place[axis] = std::isfinite(place[axis]) ? std::clamp(place[axis], 0.0, geometry.picture()[axis]) : 0;
        place[axis] /= after[axis];
      }
      state.vertices.push_back(place);
    }
    state.rows.insert(state.rows.end(), {row[0], first, static_cast<int32_t>(state.vertices.size())});
  }
};

}  // namespace

[[gnu::cold]] void register_follow_polygons(Registry& r) {
  r.add<FollowPolygons>("follow_polygons")
      .doc("Moves polygons along with their picture, and cuts off what is not seen.")
      .input("polygons", {}, "INT32, three a row: mask, first vertex, the vertex behind the last one.")
      .reads_data()
      .holds("polygons")
      .input("vertices", {}, "FLOAT, a row of x and y for each vertex.")
      .reads_data()
      .holds("vertices")
      .input("geometry", {}, "Where the picture's pixels went.")
      .reads_data()
      .holds("geometry")
      .output("polygons", "As many rows; one of which nothing is seen has no vertices.")
      .output("vertices", "FLOAT, a row of x and y for each vertex.")
      .arg("ratio", &FollowPolygonsArgs::ratio, "Vertices are in parts of the picture's extents.")
      .host_only("a few polygons a sample, whose vertices then decide shapes")
      .hidden();
}

}  // namespace penstock
