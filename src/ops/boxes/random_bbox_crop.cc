#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "ops/boxes/window_search.h"
#include "schema/registry.h"
#include "schema/take_constant.h"

namespace penstock {
namespace {

struct RandomBboxCropArgs : WindowRules, BoxReadingArgs {
  std::string bbox_layout, shape_layout;
  bool ltrb = true, output_bbox_indices = false;
  std::optional<std::vector<int64_t>> crop_shape, input_shape;
};

struct CropState {
  std::vector<Box> boxes;
  FoundWindow found;
  std::optional<Extents> input, window;
};

class RandomBboxCrop final : public SampleOperator<RandomBboxCropArgs, CropState> {
 public:
  void setup() override {
    rules_ = constants();
    rules_.check();
    PENSTOCK_CHECK(!spec().given("ltrb") || !spec().given("bbox_layout"), ArgumentError,
                   "`ltrb` is the older way to say what `bbox_layout` says; give `bbox_layout`");
    if (!spec().given("crop_shape")) return;
    PENSTOCK_CHECK(spec().given("input_shape"), ArgumentError,
                   "`input_shape` must be provided when providing `crop_shape`");
    for (const char* name : {"aspect_ratio", "scaling"})
      PENSTOCK_CHECK(!spec().given(name), ArgumentError, "`{}` is incompatible with providing `crop_shape`", name);
    PENSTOCK_CHECK(!spec().given("allow_no_crop") || !rules_.allow_no_crop, ArgumentError,
                   "`allow_no_crop` is incompatible with providing `crop_shape`");
    rules_.allow_no_crop = false;
  }

  void infer(Sample& s) const override {
    const TensorView& boxes = s.in(0).tensor;
    const int ndim = box_axes(boxes);
    CropState& state = this->state(s);
    read_boxes(boxes, layout(ndim), constants(), state.boxes);
    state.input = extents(args(s).input_shape, "input_shape", ndim);
    state.window = extents(args(s).crop_shape, "crop_shape", ndim);
    Random random = s.random();
    state.found = WindowSearch(rules_, ndim, state.input, state.window).find(random, state.boxes);
    describe(s, ndim);
  }

  void run(Sample& s) const override {
    const CropState& state = this->state(s);
    const int ndim = box_axes(s.in(0).tensor);
    const BoxLayout layout = this->layout(ndim);
    float *anchor = s.out(0).tensor.as<float>(), *shape = s.out(1).tensor.as<float>();
    for (size_t axis = 0; axis < static_cast<size_t>(ndim); ++axis) {
      const Box& window = state.found.window;
      anchor[axis] = window.low[axis], shape[axis] = window.high[axis] - window.low[axis];
      if (!state.window) continue;
      anchor[axis] = std::round(anchor[axis] * static_cast<float>((*state.input)[axis]));
      shape[axis] = static_cast<float>((*state.window)[axis]);
    }
    float* row = s.out(2).tensor.as<float>();
    for (const int32_t i : state.found.kept) {
      layout.write(seen_from(state.found.window, state.boxes[static_cast<size_t>(i)], ndim), row);
      row += 2 * ndim;
    }
    int next = 3;
    if (s.num_inputs() > 1) copy_rows(s.in(1).tensor, state.found.kept, s.out(next++).tensor);
    if (constants().output_bbox_indices) std::ranges::copy(state.found.kept, s.out(next).tensor.as<int32_t>());
  }

 private:
  BoxLayout layout(int ndim) const {
    if (!constants().bbox_layout.empty()) return {constants().bbox_layout, ndim};
    if (constants().ltrb) return {ndim == 3 ? "xyzXYZ" : "xyXY", ndim};
    return {ndim == 3 ? "xyzWHD" : "xyWH", ndim};
  }

  /// A shape in the order of `shape_layout`.
  std::optional<Extents> extents(const std::optional<std::vector<int64_t>>& shape, const char* name, int ndim) const {
    if (!shape) return {};
    constexpr std::string_view kLetters = "WHD";
    const std::string_view usual = kLetters.substr(0, static_cast<size_t>(ndim));
    const std::string_view layout =
        constants().shape_layout.empty() ? usual : std::string_view(constants().shape_layout);
    PENSTOCK_CHECK(std::ranges::is_permutation(layout, usual), ArgumentError,
                   "`shape_layout` should be a permutation of `{}`, got `{}`", usual, layout);
    PENSTOCK_CHECK(shape->size() == layout.size(), ArgumentError, "`{}` must have {} extents ({}), got {}", name, ndim,
                   layout, shape->size());
    Extents extents{};
    for (size_t i = 0; i < shape->size(); ++i) {
      const int64_t extent = (*shape)[i];
      PENSTOCK_CHECK(extent > 0 && extent < (int64_t{1} << 24), ArgumentError,
                     "`{}` has an extent of {}: it must be positive, and less than 2^24", name, extent);
      extents[kLetters.find(layout[i])] = extent;
    }
    return extents;
  }

  void describe(Sample& s, int ndim) const {
    const auto kept = static_cast<int64_t>(state(s).found.kept.size());
    const auto boxes = static_cast<int64_t>(state(s).boxes.size());
    s.out(0).describe({DType::kFloat, {ndim}, {}});
    s.out(1).describe({DType::kFloat, {ndim}, {}});
    s.out(2).describe({DType::kFloat, {kept, 2 * ndim}, {}});
    int next = 3;
    if (s.num_inputs() > 1) s.out(next++).describe(describe_labels(s.in(1).tensor, boxes, kept));
    if (constants().output_bbox_indices) s.out(next).describe({DType::kInt32, {kept}, {}});
  }

  WindowRules rules_;
};

int count_crop_outputs(const OpSpec& spec) {
  bool indices = false;
  take_constant(spec, "output_bbox_indices", indices);
  return 3 + (spec.num_inputs > 1) + indices;
}

void add_rules(OpBuilder<RandomBboxCrop>& op) {
  op.arg("thresholds", &RandomBboxCropArgs::thresholds,
         "Each sample draws one of these: as much as that the window has to show of the boxes.");
  op.arg("threshold_type", &RandomBboxCropArgs::threshold_type,
         "\"iou\": what box and window share, in parts of both together; \"overlap\": in parts of the box.");
  op.arg("all_boxes_above_threshold", &RandomBboxCropArgs::all_boxes_above_threshold,
         "Whether all boxes have to be shown so far, or one of them.");
  op.arg("scaling", &RandomBboxCropArgs::scaling, "Least and greatest extent of windows, in parts of the picture's.");
  op.arg("aspect_ratio", &RandomBboxCropArgs::aspect_ratio,
         "Least and greatest width / height of windows, of pixels where `input_shape` is given; for volumes three "
         "ranges, x/y, x/z and y/z, or one for all.");
  op.arg("allow_no_crop", &RandomBboxCropArgs::allow_no_crop,
         "Whether the whole picture is one more of the `thresholds` to draw from.");
  op.arg("num_attempts", &RandomBboxCropArgs::num_attempts,
         "Windows that are tried before another threshold is drawn.");
  op.arg("total_num_attempts", &RandomBboxCropArgs::total_num_attempts,
         "Windows that are tried at most: then the best one is taken. Without it, a sample for which none of 100,000 "
         "will do is an error.");
  op.arg("bbox_prune_threshold", &RandomBboxCropArgs::bbox_prune_threshold,
         "Boxes stay of which the window shows this part or more. By default those whose middle it shows.");
}

}  // namespace

[[gnu::cold]] void register_random_bbox_crop(Registry& r) {
  auto op = r.add<RandomBboxCrop>("random_bbox_crop");
  op.doc(
      "Draws windows until one shows enough of the boxes on a picture, and tells the boxes in it. `slice` cuts the "
      "picture.");
  op.input("boxes", {}, "FLOAT, a row for each box, in parts of the picture's extents.").reads_data().holds("boxes");
  op.input("labels", {}, "One for each box; any type.").optional().holds("nothing");
  op.output("anchor", "FLOAT, x and y (and z) of the window's corner; in pixels with `crop_shape`.");
  op.output("shape", "FLOAT, its width and height (and depth), likewise.");
  op.output("boxes",
            "The boxes that are in the window, in parts of its extents. Behind them the labels of these, if there are "
            "labels, and with `output_bbox_indices` their places among all, INT32.");
  op.count_outputs(count_crop_outputs);
  add_rules(op);
  op.arg(
      "bbox_layout", &RandomBboxCropArgs::bbox_layout,
      "What the numbers of a box are: x, y, z its lower ends, X, Y, Z its upper ones, W, H, D its extents. By default "
      "xyXY or xyzXYZ.");
  op.arg("ltrb", &RandomBboxCropArgs::ltrb, "Older: False for a `bbox_layout` of xyWH.");
  op.arg(
      "crop_shape", &RandomBboxCropArgs::crop_shape,
      "Extents of the window in pixels, instead of drawn ones. Where the picture is smaller, the window holds all of "
      "it.",
      kPerSample);
  op.arg("input_shape", &RandomBboxCropArgs::input_shape, "Extents of the picture in pixels.", kPerSample);
  op.arg("shape_layout", &RandomBboxCropArgs::shape_layout, "Order of both: a permutation of WH or WHD.");
  op.arg("output_bbox_indices", &RandomBboxCropArgs::output_bbox_indices, "Also tell which boxes are in the window.");
  add_box_reading_args(op);
  op.ignored("quiet", ArgType::kBool, "Nothing is said in any case.");
  op.example({{"scaling", {0.4, 0.9}}, {"aspect_ratio", {0.5, 2.0}}, {"total_num_attempts", 20}});
  op.host_only("searches a few boxes a sample, whose number then decides shapes");
  op.differs("Where no window will do, a sample fails after 100,000 attempts; DALI searches for ever.");
  op.differs("Without boxes any window will do.");
  op.devices({"cpu"}).random();
}

}  // namespace penstock
