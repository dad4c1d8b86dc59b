#include <algorithm>
#include <cmath>
#include <optional>

#include "core/check.h"
#include "ops/boxes/box.h"
#include "ops/geometry/picture_geometry.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct FollowBoxesArgs {
  bool ltrb = false, ratio = false;
  std::optional<float> min_visible;
};

struct FollowedBoxes {
  std::vector<Box> boxes;  ///< those that stay
  std::vector<int32_t> kept;
};

class FollowBoxes final : public SampleOperator<FollowBoxesArgs, FollowedBoxes> {
 public:
  void setup() override {
    if (const auto& least = constants().min_visible)
      PENSTOCK_CHECK(*least >= 0 && *least <= 1, ArgumentError, "`min_visible` must lie in [0, 1], got {}", *least);
  }

  void infer(Sample& s) const override {
    const TensorView& boxes = s.in(0).tensor;
    const PictureGeometry geometry = PictureGeometry::read(s.in(1).tensor);
    PENSTOCK_CHECK(box_axes(boxes) == geometry.axes(), ArgumentError,
                   "`data`: boxes on pictures are rows of 4 numbers, those in volumes of 6; got {} in a {}",
                   2 * box_axes(boxes), geometry.axes() == 3 ? "volume" : "picture");
    FollowedBoxes& state = this->state(s);
    state.boxes.clear(), state.kept.clear();
    const float least = constants().min_visible.value_or(0);
    for (int64_t i = 0; i < boxes.shape[0]; ++i) {
      const auto [box, visible] = followed(read(boxes, i, geometry), geometry);
      if (constants().min_visible && (visible <= 0 || visible < least)) continue;
      state.boxes.push_back(box);
      state.kept.push_back(static_cast<int32_t>(i));
    }
    const auto kept = static_cast<int64_t>(state.kept.size());
    s.out(0).describe({DType::kFloat, {kept, boxes.shape[1]}, boxes.layout});
    for (int i = 2; i < s.num_inputs(); ++i)
      s.out(i - 1).describe(describe_labels(s.in(i).tensor, boxes.shape[0], kept));
    if (constants().min_visible) s.out(s.num_outputs() - 1).describe({DType::kInt32, {kept}, {}});
  }

  void run(Sample& s) const override {
    const FollowedBoxes& state = this->state(s);
    const TensorView& out = s.out(0).tensor;
    const BoxLayout layout = layout_of(static_cast<int>(out.shape[1] / 2));
    float* row = out.as<float>();
    for (const Box& box : state.boxes) layout.write(box, row), row += out.shape[1];
    for (int i = 2; i < s.num_inputs(); ++i) copy_rows(s.in(i).tensor, state.kept, s.out(i - 1).tensor);
    if (constants().min_visible) std::ranges::copy(state.kept, s.out(s.num_outputs() - 1).tensor.as<int32_t>());
  }

 private:
  /// Both ends, in pixels.
  struct Ends {
    Place low{}, high{};
  };
  struct Followed {
    Box box;             ///< as it is written
    double visible = 0;  ///< the share that is seen
  };

  BoxLayout layout_of(int axes) const {
    if (axes == 3) return {constants().ltrb ? "xyzXYZ" : "xyzWHD", 3};
    return {constants().ltrb ? "xyXY" : "xyWH", 2};
  }

  Ends read(const TensorView& boxes, int64_t number, const PictureGeometry& geometry) const {
    const auto axes = static_cast<size_t>(geometry.axes());
    const float* row = boxes.as<float>() + 2 * static_cast<int64_t>(axes) * number;
    const Place unit = units_of(geometry.source(), constants().ratio);
    Ends box;
    for (size_t axis = 0; axis < axes; ++axis) {
      double &low = box.low[axis], &high = box.high[axis];
      low = row[axis], high = constants().ltrb ? row[axis + axes] : low + double{row[axis + axes]};
      PENSTOCK_CHECK(std::isfinite(low) && std::isfinite(high) && low <= high, DataError,
                     "box {} goes from {} to {} along {}: that is no box; boxes are read as {}, ltrb={} says", number,
                     low, high, "xyz"[axis], axes == 3 ? volume_order() : picture_order(),
                     constants().ltrb ? "True" : "False");
      low *= unit[axis], high *= unit[axis];
    }
    return box;
  }
  const char* picture_order() const {
    return constants().ltrb ? "left, top, right, bottom" : "left, top, width, height";
  }
  const char* volume_order() const {
    return constants().ltrb ? "left, top, front, right, bottom, back" : "left, top, front, width, height, depth";
  }

  /// What holds all that is seen of the box; nothing at the origin where none is.
  Followed followed(const Ends& box, const PictureGeometry& geometry) const {
    double visible = 0;
    const std::vector<Place> corners =
        geometry.axes() == 3 ? seen_in_volume(box, geometry, visible) : seen_in_picture(box, geometry, visible);
    if (corners.empty()) return {};
    Followed made{.box = {}, .visible = visible};
    Ends ends;
    bool first = true;
    for (const Place& corner : corners) {
      const Place place = geometry.moved(corner);
      for (size_t axis = 0; axis < place.size(); ++axis) {
        const double at = std::isfinite(place[axis]) ? std::clamp(place[axis], 0.0, geometry.picture()[axis]) : 0;
        ends.low[axis] = first ? at : std::min(ends.low[axis], at);
        ends.high[axis] = first ? at : std::max(ends.high[axis], at);
      }
      first = false;
    }
    const Place unit = units_of(geometry.picture(), constants().ratio);
    for (size_t axis = 0; axis < unit.size(); ++axis) {
      made.box.low[axis] = static_cast<float>(ends.low[axis] / unit[axis]);
      made.box.high[axis] = static_cast<float>(ends.high[axis] / unit[axis]);
    }
    return made;
  }

  /// Corners of what is seen, and its share.
  static std::vector<Place> seen_in_picture(const Ends& box, const PictureGeometry& geometry, double& visible) {
    const auto& [low, high] = box;
    std::vector<Place> corners = {{low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}};
    const double before = twice_area(corners);
    geometry.cut(corners);
    visible = before > 0 ? twice_area(corners) / before : 1;
    return corners;
  }
  static std::vector<Place> seen_in_volume(const Ends& box, const PictureGeometry& geometry, double& visible) {
    ConvexBody body(box.low, box.high);
    const double before = body.volume();
    for (const HalfSpace& half_space : geometry.seen()) body.cut(half_space);
    visible = before > 0 ? body.volume() / before : 1;
    return body.corners();
  }
};

}  // namespace

[[gnu::cold]] void register_follow_boxes(Registry& r) {
  r.add<FollowBoxes>("follow_boxes")
      .doc("Moves boxes along with their picture.")
      .input("boxes", {}, "FLOAT, four numbers for each box, or six in volumes.")
      .reads_data()
      .holds("boxes")
      .input("geometry", {}, "Where the picture's pixels went.")
      .reads_data()
      .holds("geometry")
      .input("labels", {}, "One for each box; any type.")
      .optional()
      .variadic()
      .holds("nothing")
      .output("boxes", "Those that stay, then their labels, then with `min_visible` their places among all.")
      .count_outputs(
          [](const OpSpec& spec) { return std::max(spec.num_inputs - 1, 1) + (spec.given("min_visible") ? 1 : 0); })
      .arg("ltrb", &FollowBoxesArgs::ltrb,
           "Boxes are left, top, right, bottom; otherwise left, top, width, height. In volumes three of each.")
      .arg("ratio", &FollowBoxesArgs::ratio, "Boxes are in parts of the picture's extents.")
      .arg("min_visible", &FollowBoxesArgs::min_visible, "Boxes of which less is seen are left out.")
      .host_only("a few boxes a sample, whose number then decides shapes")
      .hidden();
}

}  // namespace penstock
