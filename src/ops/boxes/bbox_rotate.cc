#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/check.h"
#include "ops/boxes/box.h"
#include "ops/geometry/rotated_canvas.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct BboxRotateArgs {
  float angle = 0, remove_threshold = 0.1f;
  std::vector<int64_t> input_shape;
  std::vector<float> size;
  std::string shape_layout = "HW", bbox_layout = "xyXY", mode = "expand";
  bool bbox_normalized = true, keep_size = false, check_boxes = true;
};

struct RotateState {
  std::vector<Box> boxes;  ///< rotated, those that stay
  std::vector<int32_t> kept;
};

/// Width and height.
using Size = std::array<float, 2>;

class BboxRotate final : public SampleOperator<BboxRotateArgs, RotateState> {
 public:
  void setup() override {
    const BboxRotateArgs& a = constants();
    layout_ = BoxLayout(a.bbox_layout, 2);
    h_ = a.shape_layout.find('H'), w_ = a.shape_layout.find('W');
    PENSTOCK_CHECK(h_ != std::string::npos && w_ != std::string::npos, ArgumentError,
                   "`shape_layout` must name the axes H and W, got \"{}\"", a.shape_layout);
    // What of the growth that a rotation brings is taken back.
    shrink_ = a.mode == "expand" ? 0 : a.mode == "halfway" ? .25f : .5f;
    PENSTOCK_CHECK(a.mode == "expand" || a.mode == "halfway" || a.mode == "fixed", ArgumentError,
                   "`mode` must be \"expand\", \"halfway\" or \"fixed\", got \"{}\"", a.mode);
    PENSTOCK_CHECK(a.remove_threshold >= 0 && a.remove_threshold <= 1, ArgumentError,
                   "`remove_threshold` must lie in [0, 1], got {}", a.remove_threshold);
    PENSTOCK_CHECK(!a.keep_size || !spec().given("size"), ArgumentError,
                   "`keep_size` is mutually exclusive with the `size` argument");
  }

  void infer(Sample& s) const override {
    PENSTOCK_CHECK(box_axes(s.in(0).tensor) == 2, ArgumentError, "boxes on pictures are rows of 4 numbers");
    RotateState& state = this->state(s);
    rotate(s.in(0).tensor, args(s), state);
    const auto kept = static_cast<int64_t>(state.kept.size());
    s.out(0).describe({DType::kFloat, {kept, 4}, s.in(0).tensor.layout});
    if (s.num_inputs() > 1) s.out(1).describe(describe_labels(s.in(1).tensor, s.in(0).tensor.shape[0], kept));
  }

  void run(Sample& s) const override {
    const RotateState& state = this->state(s);
    for (size_t i = 0; i < state.boxes.size(); ++i) layout_.write(state.boxes[i], s.out(0).tensor.as<float>() + 4 * i);
    if (s.num_inputs() > 1) copy_rows(s.in(1).tensor, state.kept, s.out(1).tensor);
  }

 private:
  Size picture_size(const BboxRotateArgs& a) const {
    PENSTOCK_CHECK(a.input_shape.size() > std::max(h_, w_), ArgumentError,
                   "`input_shape` has {} extents, `shape_layout` (\"{}\") asks for more", a.input_shape.size(),
                   a.shape_layout);
    const int64_t h = a.input_shape[h_], w = a.input_shape[w_];
    PENSTOCK_CHECK(h > 0 && w > 0, ArgumentError,
                   "`input_shape` must be positive, got a height of {} and a width of {}", h, w);
    return {static_cast<float>(w), static_cast<float>(h)};
  }
  static Size canvas_size(const BboxRotateArgs& a, const Size& picture) {
    if (a.keep_size) return picture;
    if (!a.size.empty()) {
      PENSTOCK_CHECK(a.size.size() == 2 && a.size[0] >= 1 && a.size[1] >= 1, ArgumentError,
                     "`size` must be a height and a width of a pixel or more, got {} numbers", a.size.size());
      return {std::floor(a.size[1]), std::floor(a.size[0])};
    }
    const CanvasNeed need = picture_need({static_cast<int64_t>(picture[1]), static_cast<int64_t>(picture[0])}, a.angle);
    const Shape canvas = canvas_for({&need, 1});
    return {static_cast<float>(canvas[1]), static_cast<float>(canvas[0])};
  }

  void rotate(const TensorView& tensor, const BboxRotateArgs& a, RotateState& state) const {
    PENSTOCK_CHECK(std::isfinite(a.angle), ArgumentError, "`angle` must be a finite number of degrees, got {}",
                   a.angle);
    const Size picture = picture_size(a), canvas = canvas_size(a, picture);
    const float radians = a.angle * static_cast<float>(std::numbers::pi / 180);
    const float c = std::cos(radians), s = std::sin(radians);
    state.boxes.clear(), state.kept.clear();
    for (int64_t i = 0; i < tensor.shape[0]; ++i) {
      const Box centred = around_middle(layout_.read(tensor.as<float>() + 4 * i), picture, i);
      Box box = shrunk(turned(centred, c, s, canvas), centred);
      if (!cut(box, canvas)) continue;
      if (constants().bbox_normalized)
        for (size_t axis = 0; axis < 2; ++axis) box.low[axis] *= 1 / canvas[axis], box.high[axis] *= 1 / canvas[axis];
      state.boxes.push_back(box);
      state.kept.push_back(static_cast<int32_t>(i));
    }
  }

  /// In pixels from the picture's middle.
  Box around_middle(Box box, const Size& picture, int64_t number) const {
    for (size_t axis = 0; axis < 2; ++axis) {
      for (float* end : {&box.low[axis], &box.high[axis]})
        *end = constants().bbox_normalized ? (*end - .5f) * picture[axis] : *end - picture[axis] / 2;
      const bool is_box =
          std::isfinite(box.low[axis]) && std::isfinite(box.high[axis]) && box.low[axis] <= box.high[axis];
      PENSTOCK_CHECK(is_box || !constants().check_boxes, DataError, "box {} is turned around along {}, or not finite",
                     number, "xy"[axis]);
    }
    return box;
  }

  /// What holds all corners, in pixels of the canvas.
  static Box turned(const Box& box, float c, float s, const Size& canvas) {
    Box result;
    for (int corner = 0; corner < 4; ++corner) {
      const float x = corner % 2 == 0 ? box.low[0] : box.high[0], y = corner < 2 ? box.low[1] : box.high[1];
      const float at[] = {x * c + y * s + canvas[0] / 2, -x * s + y * c + canvas[1] / 2};  // rows count downwards
      for (size_t axis = 0; axis < 2; ++axis) {
        result.low[axis] = corner == 0 ? at[axis] : std::min(result.low[axis], at[axis]);
        result.high[axis] = corner == 0 ? at[axis] : std::max(result.high[axis], at[axis]);
      }
    }
    return result;
  }

  /// Takes back what `mode` says. Where a box lies down that stood, its width is compared with the height before.
  Box shrunk(Box box, const Box& before) const {
    if (shrink_ == 0) return box;
    const float w = box.extent(0), h = box.extent(1);
    const bool lies = (before.extent(0) < before.extent(1)) != (w < h);
    const float x = (w - before.extent(lies ? 1 : 0)) * shrink_, y = (h - before.extent(lies ? 0 : 1)) * shrink_;
    box.low[0] += x, box.high[0] -= x, box.low[1] += y, box.high[1] -= y;
    return box;
  }

  /// Cuts off what leaves the canvas; false where too little stays.
  bool cut(Box& box, const Size& canvas) const {
    const float before = box.volume(2);
    for (size_t axis = 0; axis < 2; ++axis) {
      box.low[axis] = std::clamp(box.low[axis], 0.0f, canvas[axis]);
      box.high[axis] = std::clamp(box.high[axis], 0.0f, canvas[axis]);
    }
    return box.volume(2) / before >= constants().remove_threshold;
  }

  BoxLayout layout_{"xyXY", 2};
  size_t h_ = 0, w_ = 1;
  float shrink_ = 0;
};

}  // namespace

[[gnu::cold]] void register_bbox_rotate(Registry& r) {
  auto op = r.add<BboxRotate>("bbox_rotate");
  op.doc(
      "Moves boxes to where `rotate` brings what they hold; give it the same `angle`, `keep_size` and `size`, and the "
      "shape of the picture before. Boxes of which too little stays on the canvas are left out.");
  op.input("boxes", {}, "FLOAT, a row of four numbers for each box.").reads_data().holds("boxes");
  op.input("labels", {}, "One for each box; any type.").optional().holds("nothing");
  op.output("boxes", "The rotated boxes, and behind them the labels of these, if there are labels.");
  op.count_outputs([](const OpSpec& spec) { return spec.num_inputs > 1 ? 2 : 1; });
  op.arg("angle", &BboxRotateArgs::angle, "Degrees, counter-clockwise.", kRequired | kPerSample);
  op.arg("input_shape", &BboxRotateArgs::input_shape, "Shape of the picture that is rotated.", kRequired | kPerSample);
  op.arg("shape_layout", &BboxRotateArgs::shape_layout, "Which extent in it is H and which is W.");
  op.arg("bbox_layout", &BboxRotateArgs::bbox_layout, "xyXY or xyWH, or these letters in another order.");
  op.arg(
      "bbox_normalized", &BboxRotateArgs::bbox_normalized,
      "Boxes are in parts of the picture's extents, and become parts of the canvas's; otherwise both are in pixels.");
  op.arg("keep_size", &BboxRotateArgs::keep_size, "The canvas is as large as the picture.");
  op.arg("size", &BboxRotateArgs::size, "Height and width of the canvas.", kPerSample);
  op.arg("mode", &BboxRotateArgs::mode,
         "\"expand\": boxes hold all that they held, \"fixed\": they keep their extents, \"halfway\": in between.");
  op.arg("remove_threshold", &BboxRotateArgs::remove_threshold,
         "Boxes are left out of which less than this part stays on the canvas.");
  op.arg("check_boxes", &BboxRotateArgs::check_boxes,
         "Refuse boxes that are turned around or not finite; otherwise those are turned back, and these left out.");
  op.example({{"angle", 30}, {"input_shape", {48, 64}}});
  op.host_only("a few boxes a sample, whose number then decides shapes");
  op.differs(
      "Boxes that are turned around or not finite are refused, unless `check_boxes` is False, as it is in "
      "`penstock.dali`; labels may have any type.");
  op.devices({"cpu"});
}

}  // namespace penstock
