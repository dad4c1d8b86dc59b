#include <cmath>
#include <cstring>

#include "core/check.h"
#include "ops/boxes/window_search.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SsdRandomCropArgs : BoxReadingArgs {
  int64_t num_attempts = 1;
};

struct SsdState {
  std::vector<Box> boxes;
  FoundWindow found;
  int64_t y = 0, x = 0;  ///< of the window's corner, in pixels
};

class SsdRandomCrop final : public SampleOperator<SsdRandomCropArgs, SsdState> {
 public:
  void setup() override {
    rules_.thresholds = {0.1f, 0.3f, 0.5f, 0.7f, 0.9f, 0};
    rules_.scaling = {0.3f, 1};
    rules_.aspect_ratio = {0.5f, 2};
    rules_.num_attempts = constants().num_attempts;
    rules_.check();
  }

  void infer(Sample& s) const override {
    SsdState& state = this->state(s);
    PENSTOCK_CHECK(box_axes(s.in(1).tensor) == 2, ArgumentError, "boxes on pictures are rows of 4 numbers");
    read_boxes(s.in(1).tensor, layout_, constants(), state.boxes);
    Random random = s.random();
    state.found = WindowSearch(rules_, 2, {}, {}).find(random, state.boxes);
    TensorDesc picture = s.in(0).tensor;
    state.y = cut_axis(state.found.window, 1, picture.shape[0]);
    state.x = cut_axis(state.found.window, 0, picture.shape[1]);
    s.out(0).describe(picture);
    const auto kept = static_cast<int64_t>(state.found.kept.size());
    s.out(1).describe({DType::kFloat, {kept, 4}, {}});
    s.out(2).describe(describe_labels(s.in(2).tensor, static_cast<int64_t>(state.boxes.size()), kept));
  }

  void run(Sample& s) const override {
    const SsdState& state = this->state(s);
    copy_window(s.in(0).tensor, s.out(0).tensor, state);
    float* row = s.out(1).tensor.as<float>();
    for (const int32_t i : state.found.kept) {
      layout_.write(seen_from(state.found.window, state.boxes[static_cast<size_t>(i)], 2), row);
      row += 4;
    }
    copy_rows(s.in(2).tensor, state.found.kept, s.out(2).tensor);
  }

 private:
  /// Cuts an extent to what the window has of it and returns where the window begins.
  static int64_t cut_axis(const Box& window, size_t axis, int64_t& extent) {
    const auto all = static_cast<double>(extent);
    const int64_t begin = std::llround(window.low[axis] * all);
    extent = std::llround(window.high[axis] * all) - begin;
    return begin;
  }
  static void copy_window(const TensorView& in, const TensorView& out, const SsdState& state) {
    const size_t pixel = size_of(in.dtype) * static_cast<size_t>(in.shape[2]);
    const size_t pitch = pixel * static_cast<size_t>(in.shape[1]), row = pixel * static_cast<size_t>(out.shape[1]);
    const std::byte* from = in.data + static_cast<size_t>(state.y) * pitch + static_cast<size_t>(state.x) * pixel;
    for (int64_t y = 0; y < out.shape[0] && row > 0; ++y, from += pitch)
      std::memcpy(out.data + static_cast<size_t>(y) * row, from, row);
  }

  WindowRules rules_;
  BoxLayout layout_{"xyXY", 2};
};

}  // namespace

[[gnu::cold]] void register_ssd_random_crop(Registry& r) {
  auto op = r.add<SsdRandomCrop>("ssd_random_crop");
  op.doc(
      "Cuts pictures as SSD's training does: to a random window that shares at least 0, 0.1, 0.3, 0.5, 0.7 or 0.9 "
      "(drawn per sample) with each box in parts of both together, or not at all. `random_bbox_crop` is told more.");
  op.input("images", {"HWC"}, "Pictures of any type.");
  op.input("boxes", {}, "FLOAT, rows of left, top, right, bottom in parts of the picture's extents.")
      .reads_data()
      .holds("boxes");
  op.input("labels", {}, "One for each box; any type.").holds("labels");
  op.output("images", "The window.");
  op.output("boxes", "Those whose middle is in the window, in parts of its extents.");
  op.output("labels", "The labels of these.");
  op.arg("num_attempts", &SsdRandomCropArgs::num_attempts, "Windows that are tried before another threshold is drawn.");
  add_box_reading_args(op);
  op.example({{"num_attempts", 10}});
  op.host_only("searches a few boxes a sample, whose number then decides shapes");
  op.differs("Labels keep their number of axes, and pictures may have any type.");
  op.devices({"cpu"}).random();
}

}  // namespace penstock
