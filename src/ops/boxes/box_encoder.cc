#include <algorithm>
#include <cmath>

#include "core/check.h"
#include "kernels/boxes/match.h"
#include "ops/boxes/box.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct BoxEncoderArgs {
  std::vector<float> anchors, means = {0, 0, 0, 0}, stds = {1, 1, 1, 1};
  float criteria = .5f, scale = 1;
  bool offset = false, check_boxes = true;
};

/// Middle and extents, as outputs tell boxes.
using Centred = std::array<float, 4>;

Centred centred(const Box& box) { return {box.middle(0), box.middle(1), box.extent(0), box.extent(1)}; }

struct EncoderState {
  std::vector<float> best;      ///< what each anchor shares with its box
  std::vector<int32_t> box_of;  ///< that box
};

class BoxEncoder final : public SampleOperator<BoxEncoderArgs, EncoderState> {
 public:
  BoxEncoder() { traits_.goes_by_descriptors = true; }
  void setup() override {
    const BoxEncoderArgs& a = constants();
    check(a);
    for (size_t i = 0; i < a.anchors.size(); i += 4) {
      const Box box = layout_.read(&a.anchors[i]);
      for (size_t k = 0; k < 4; ++k)
        PENSTOCK_CHECK(std::isfinite(a.anchors[i + k]), ArgumentError, "anchor {} holds {}", i / 4, a.anchors[i + k]);
      anchors_.add(box.low[0], box.low[1], box.high[0], box.high[1]);
      centres_.push_back(centred(box));
    }
  }

  void infer(Sample& s) const override {
    const TensorDesc& boxes = s.in(0).tensor;
    PENSTOCK_CHECK(box_axes(boxes) == 2, ArgumentError, "boxes on pictures are rows of 4 numbers");
    describe_labels(s.in(1).tensor, boxes.shape[0], 0);
    PENSTOCK_CHECK(s.in(1).tensor.dtype == DType::kInt32, TypeError, "labels must be INT32, got {}",
                   name_of(s.in(1).tensor.dtype));
    const auto count = static_cast<int64_t>(centres_.size());
    s.out(0).describe({DType::kFloat, {count, 4}, {}});
    s.out(1).describe({DType::kInt32, {count}, {}});
  }

  void run(Sample& s) const override {
    const TensorView& boxes = s.in(0).tensor;
    const int32_t* labels = s.in(1).tensor.as<int32_t>();
    auto* out = reinterpret_cast<Centred*>(s.out(0).tensor.data);
    int32_t* classes = s.out(1).tensor.as<int32_t>();
    EncoderState& state = this->state(s);
    match(boxes, state);
    for (size_t i = 0; i < centres_.size(); ++i) {
      const bool matched = state.best[i] > constants().criteria;
      classes[i] = matched ? labels[state.box_of[i]] : 0;
      if (matched)
        out[i] = encoded(centred(layout_.read(boxes.as<float>() + 4 * state.box_of[i])), centres_[i]);
      else
        out[i] = constants().offset ? Centred{} : centres_[i];
    }
  }

 private:
  static void check(const BoxEncoderArgs& a) {
    PENSTOCK_CHECK(!a.anchors.empty() && a.anchors.size() % 4 == 0, ArgumentError,
                   "`anchors` needs four numbers for each anchor, got {}", a.anchors.size());
    PENSTOCK_CHECK(a.criteria >= 0 && a.criteria <= 1, ArgumentError, "`criteria` must lie in [0, 1], got {}",
                   a.criteria);
    PENSTOCK_CHECK(a.means.size() == 4 && a.stds.size() == 4, ArgumentError,
                   "`means` and `stds` must be lists of 4 values, got {} and {}", a.means.size(), a.stds.size());
    PENSTOCK_CHECK(std::ranges::find(a.stds, 0.0f) == a.stds.end(), ArgumentError, "`stds` must not be 0");
  }

  static bool is_box(const float* row) {
    const bool finite =
        std::isfinite(row[0]) && std::isfinite(row[1]) && std::isfinite(row[2]) && std::isfinite(row[3]);
    return finite && row[0] <= row[2] && row[1] <= row[3];
  }

  /// Each box takes the anchor that shares most with it; others take the box that they share most with.
  void match(const TensorView& boxes, EncoderState& state) const {
    state.best.assign(centres_.size(), -1);
    state.box_of.assign(centres_.size(), 0);
    constexpr float kTaken = 2;  // more than any box and anchor share
    for (int64_t i = 0; i < boxes.shape[0]; ++i) {
      const float* row = boxes.as<float>() + 4 * i;
      PENSTOCK_CHECK(!constants().check_boxes || is_box(row), DataError,
                     "box {} is {}, {}, {}, {}: it must be left, top, right, bottom", i, row[0], row[1], row[2],
                     row[3]);
      const size_t best = kernels::match_box(row, static_cast<int32_t>(i), anchors_, state.best, state.box_of);
      state.best[best] = kTaken;
      state.box_of[best] = static_cast<int32_t>(i);
    }
  }

  /// The box, or its distance from the anchor in parts of the anchor's extents.
  Centred encoded(const Centred& box, const Centred& anchor) const {
    const BoxEncoderArgs& a = constants();
    if (!a.offset) return box;
    Centred result;
    for (size_t k = 0; k < 2; ++k) {
      const float extent = anchor[k + 2] * a.scale;
      result[k] = ((box[k] * a.scale - anchor[k] * a.scale) / extent - a.means[k]) / a.stds[k];
      result[k + 2] = (std::log(box[k + 2] * a.scale / extent) - a.means[k + 2]) / a.stds[k + 2];
    }
    return result;
  }

  BoxLayout layout_{"xyXY", 2};
  kernels::AnchorTable anchors_;
  std::vector<Centred> centres_;
};

}  // namespace

[[gnu::cold]] void register_box_encoder(Registry& r) {
  auto op = r.add<BoxEncoder>("box_encoder");
  op.doc(
      "Gives each anchor a box, as SSD's training wants it: to the anchor that shares most with a box that box, to "
      "each "
      "other one the box that it shares most with, if that is more than `criteria` of both together. Of boxes and "
      "anchors that share as much the last one counts.");
  op.input("boxes", {}, "FLOAT, rows of left, top, right, bottom.").holds("boxes");
  op.input("labels", {}, "INT32, one for each box.").holds("labels");
  op.output("boxes",
            "FLOAT, a row for each anchor: x and y of the middle, width and height of its box, or of the anchor itself "
            "where it has none. With `offset` the distance of both, 0 where there is no box.");
  op.output("labels", "INT32, one for each anchor: its box's label, or 0.");
  op.arg("anchors", &BoxEncoderArgs::anchors, "Left, top, right, bottom of each anchor.", kRequired);
  op.arg("criteria", &BoxEncoderArgs::criteria,
         "What an anchor and its box share at least, in parts of both together.");
  op.arg(
      "offset", &BoxEncoderArgs::offset,
      "Give ((box - anchor) / anchor's extent - means) / stds of the middle and (log(box / anchor) - means) / stds of "
      "the extents, instead of boxes.");
  op.arg("scale", &BoxEncoderArgs::scale, "Multiplies boxes and anchors before that.");
  op.arg("check_boxes", &BoxEncoderArgs::check_boxes, "Refuse boxes that are turned around or not finite.");
  op.arg("means", &BoxEncoderArgs::means, "For x, y, width and height.");
  op.arg("stds", &BoxEncoderArgs::stds, "For x, y, width and height.");
  op.example({{"anchors", {0.0, 0.0, 0.5, 0.5, 0.25, 0.25, 0.75, 0.75}}, {"criteria", 0.4}});
  op.host_only("makes two outputs of a few boxes in less time than a GPU needs to be told");
  op.differs(
      "Boxes that are turned around or not finite are refused, unless `check_boxes` is False, as it is in "
      "`penstock.dali`; so is another number of labels than of boxes, in any case.");
}

}  // namespace penstock
