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
    PENSTOCK_CHECK(box_axes(boxes) == 2, ArgumentError, "boxes on pictures are rows of 4 numbers");
    const PictureGeometry geometry = PictureGeometry::read(s.in(1).tensor);
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
    s.out(0).describe({DType::kFloat, {kept, 4}, boxes.layout});
    for (int i = 2; i < s.num_inputs(); ++i)
      s.out(i - 1).describe(describe_labels(s.in(i).tensor, boxes.shape[0], kept));
    if (constants().min_visible) s.out(s.num_outputs() - 1).describe({DType::kInt32, {kept}, {}});
  }

  void run(Sample& s) const override {
    const FollowedBoxes& state = this->state(s);
    const BoxLayout layout = this->layout();
    for (size_t i = 0; i < state.boxes.size(); ++i) layout.write(state.boxes[i], s.out(0).tensor.as<float>() + 4 * i);
    for (int i = 2; i < s.num_inputs(); ++i) copy_rows(s.in(i).tensor, state.kept, s.out(i - 1).tensor);
    if (constants().min_visible) std::ranges::copy(state.kept, s.out(s.num_outputs() - 1).tensor.as<int32_t>());
  }

 private:
  struct Followed {
    Box box;             ///< as it is written
    double visible = 0;  ///< the share that is seen
  };
  using Corners = std::vector<Place>;

  BoxLayout layout() const { return {constants().ltrb ? "xyXY" : "xyWH", 2}; }

  /// The corners in pixels of the source, in turn.
  Corners read(const TensorView& boxes, int64_t number, const PictureGeometry& geometry) const {
    const float* row = boxes.as<float>() + 4 * number;
    const Place unit = units_of(geometry.source(), constants().ratio);
    Place low{}, high{};
    for (size_t axis = 0; axis < 2; ++axis) {
      low[axis] = row[axis], high[axis] = constants().ltrb ? row[axis + 2] : low[axis] + double{row[axis + 2]};
      PENSTOCK_CHECK(std::isfinite(low[axis]) && std::isfinite(high[axis]) && low[axis] <= high[axis], DataError,
                     "box {} goes from {} to {} along {}: that is no box; boxes are read as {}, ltrb={} says", number,
                     low[axis], high[axis], "xy"[axis],
                     constants().ltrb ? "left, top, right, bottom" : "left, top, width, height",
                     constants().ltrb ? "True" : "False");
      low[axis] *= unit[axis], high[axis] *= unit[axis];
    }
    return {{low[0], low[1]}, {high[0], low[1]}, {high[0], high[1]}, {low[0], high[1]}};
  }

  /// What holds all that is seen of the box; nothing at the origin where none is.
  Followed followed(Corners corners, const PictureGeometry& geometry) const {
    const double before = twice_area(corners);
    geometry.cut(corners);
    if (corners.empty()) return {};
    Followed made{.box = {}, .visible = before > 0 ? twice_area(corners) / before : 1};
    Place low{}, high{};
    bool first = true;
    for (const Place& corner : corners) {
      const Place place = geometry.moved(corner);
      for (size_t axis = 0; axis < 2; ++axis) {
        const double at = std::isfinite(place[axis]) ? std::clamp(place[axis], 0.0, geometry.picture()[axis]) : 0;
        low[axis] = first ? at : std::min(low[axis], at), high[axis] = first ? at : std::max(high[axis], at);
      }
      first = false;
    }
    const Place unit = units_of(geometry.picture(), constants().ratio);
    for (size_t axis = 0; axis < 2; ++axis) {
      made.box.low[axis] = static_cast<float>(low[axis] / unit[axis]);
      made.box.high[axis] = static_cast<float>(high[axis] / unit[axis]);
    }
    return made;
  }
};

}  // namespace

[[gnu::cold]] void register_follow_boxes(Registry& r) {
  r.add<FollowBoxes>("follow_boxes")
      .doc("Moves boxes along with their picture.")
      .input("boxes", {}, "FLOAT, four numbers for each box.")
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
      .arg("ltrb", &FollowBoxesArgs::ltrb, "Boxes are left, top, right, bottom; otherwise left, top, width, height.")
      .arg("ratio", &FollowBoxesArgs::ratio, "Boxes are in parts of the picture's extents.")
      .arg("min_visible", &FollowBoxesArgs::min_visible, "Boxes of which less is seen are left out.")
      .host_only("a few boxes a sample, whose number then decides shapes")
      .hidden();
}

}  // namespace penstock
