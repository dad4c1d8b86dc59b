#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/convert/convert.h"
#include "kernels/paste/job.h"
#include "ops/batch_output.h"
#include "ops/elements/element_batch.h"
#include "ops/gpu_batch.h"
#include "schema/registry.h"

namespace penstock {
namespace {

using Ints = std::optional<std::vector<int64_t>>;
using Floats = std::optional<std::vector<float>>;

struct MultiPasteArgs {
  Ints in_ids, output_size, in_anchors, shapes, out_anchors;
  Floats in_anchors_rel, shapes_rel, out_anchors_rel;
  std::optional<DType> dtype;
};

constexpr size_t kAxes = 2;  // H and W

/// A part of one picture that goes onto a canvas.
struct Piece {
  TensorView from;
  std::array<int64_t, kAxes> begin{}, shape{}, at{};
};

/// H is the first of the last three axes.
int height_axis(const TensorDesc& desc) { return desc.shape.ndim() - 3; }

/// What lies on each canvas, the topmost last.
struct Canvases {
  std::vector<TensorDesc> descs;
  std::vector<std::vector<Piece>> pieces;
};

class MultiPaste final : public BatchOperator<MultiPasteArgs>, public device::GpuBatchForm {
 public:
  std::vector<std::string_view> kernels() const override {
    return {penstock::kernels::kPaste.name, penstock::kernels::kElements.name};
  }
  void setup() override {
    for (const auto& [absolute, relative] :
         {std::pair("in_anchors", "in_anchors_rel"), {"shapes", "shapes_rel"}, {"out_anchors", "out_anchors_rel"}})
      PENSTOCK_CHECK(!spec().given(absolute) || !spec().given(relative), ArgumentError,
                     "`{}` and `{}` cannot be specified together", absolute, relative);
    PENSTOCK_CHECK(!spec().given("in_ids") || spec().num_inputs == 1, ArgumentError,
                   "`in_ids` names samples of one input, got {} inputs", spec().num_inputs);
  }

  void run(BatchContext& batch) const override {
    const Canvases canvases = describe(batch);
    TensorList out = allocate_batch(canvases.descs);
    for (int64_t i = 0; i < out.size(); ++i) {
      std::memset(out[i].data, 0, out[i].nbytes());
      for (const Piece& one : canvases.pieces[static_cast<size_t>(i)]) paste(one, out[i]);
    }
    batch.outputs[0] = std::move(out);
  }

  void run(BatchContext& batch, device::Device& device, device::Stream stream) const override {
    Canvases canvases = describe(batch);
    const DType from = batch.inputs[0]->dtype(), to = constants().dtype.value_or(from);
    for (TensorDesc& desc : canvases.descs) desc.dtype = from;
    TensorList pasted = paste_on_gpu(canvases, from, device, stream);
    if (from == to) {
      batch.outputs[0] = std::move(pasted);
      return;
    }
    for (TensorDesc& desc : canvases.descs) desc.dtype = to;
    ElementBatch converted(device, stream, canvases.descs);
    for (int64_t i = 0; i < pasted.size(); ++i) {
      const TensorView& canvas = pasted[i];
      ElementWork work;
      work.begin(converted.output()[i]);
      work.load(work.table(canvas.data, from, canvas.shape, ElementView::broadcast(canvas.shape, canvas.shape)));
      work.convert(to);
      converted.add(work);
    }
    batch.outputs[0] = converted.launch();
  }

 private:
  Canvases describe(const BatchContext& batch) const {
    Canvases all;
    for (int64_t i = 0; i < batch.inputs[0]->size(); ++i) {
      const MultiPasteArgs a = args(batch, i);
      const std::vector<TensorView> from = sources(batch, a, i);
      all.descs.push_back(canvas(batch, a, from, i));
      std::vector<Piece>& pieces = all.pieces.emplace_back();
      for (size_t k = 0; k < from.size(); ++k) pieces.push_back(piece(a, from[k], k, from.size(), all.descs.back(), i));
    }
    return all;
  }

  /// Canvases of the pictures' type.
  static TensorList paste_on_gpu(const Canvases& canvases, DType dtype, device::Device& device, device::Stream stream) {
    GpuBatch<penstock::kernels::PasteJob> batch(device, stream, canvases.descs);
    for (int64_t i = 0; i < batch.output().size(); ++i) {
      const TensorView& canvas = batch.output()[i];
      batch.add(canvas.shape.volume()) = job_of(canvas, canvases.pieces[static_cast<size_t>(i)], batch.staging());
    }
    return batch.launch(penstock::kernels::kPaste, {static_cast<int32_t>(size_of(dtype))});
  }
  static penstock::kernels::PasteJob job_of(const TensorView& canvas, const std::vector<Piece>& pieces,
                                            device::Staging& staging) {
    const int h = height_axis(canvas);
    const int64_t channels = canvas.shape[h + 2];
    std::vector<penstock::kernels::PastePiece> described;
    for (const Piece& one : pieces) {
      if (one.shape[0] == 0 || one.shape[1] == 0) continue;
      const int64_t row = one.from.shape[h + 1] * channels;
      const int64_t first = one.begin[0] * row + one.begin[1] * channels;
      described.push_back({.from = one.from.data + static_cast<size_t>(first) * size_of(canvas.dtype),
                           .row_step = row,
                           .frame_step = one.from.shape[h] * row,
                           .y = one.at[0],
                           .rows = one.shape[0],
                           .x = one.at[1] * channels,
                           .elements = one.shape[1] * channels});
    }
    penstock::kernels::PasteJob job{.out = canvas.data,
                                    .count = static_cast<int32_t>(described.size()),
                                    .frames = h == 0 ? 1 : static_cast<int32_t>(canvas.shape[0]),
                                    .rows = canvas.shape[h],
                                    .row_elements = canvas.shape[h + 1] * channels};
    if (job.count > 0) job.pieces = staging.put(std::span<const penstock::kernels::PastePiece>(described));
    return job;
  }

  std::vector<TensorView> sources(const BatchContext& batch, const MultiPasteArgs& a, int64_t sample) const {
    std::vector<TensorView> from;
    if (!a.in_ids) {
      for (const TensorList* input : batch.inputs) from.push_back((*input)[sample]);
    } else {
      const TensorList& input = *batch.inputs[0];
      for (const int64_t id : *a.in_ids) {
        PENSTOCK_CHECK(id >= 0 && id < input.size(), IndexError,
                       "`in_ids` of sample {} names sample {} of a batch of {}", sample, id, input.size());
        from.push_back(input[id]);
      }
    }
    for (const TensorView& one : from)
      PENSTOCK_CHECK(one.dtype == from[0].dtype && one.shape.ndim() == from[0].shape.ndim() && same_rest(one, from[0]),
                     ArgumentError,
                     "what is pasted onto sample {} must have one type and one number of channels (and frames), got {} "
                     "{} and {} {}",
                     sample, name_of(one.dtype), to_string(one.shape), name_of(from[0].dtype),
                     to_string(from[0].shape));
    return from;
  }
  /// All axes but H and W.
  static bool same_rest(const TensorDesc& a, const TensorDesc& b) {
    const int h = height_axis(a), last = a.shape.ndim() - 1;
    return a.shape[last] == b.shape[last] && (h == 0 || a.shape[0] == b.shape[0]);
  }

  TensorDesc canvas(const BatchContext& batch, const MultiPasteArgs& a, const std::vector<TensorView>& from,
                    int64_t sample) const {
    const TensorList& input = *batch.inputs[0];
    TensorDesc desc = from.empty() ? input[sample] : from[0];
    const int h = height_axis(desc);
    desc.dtype = a.dtype.value_or(desc.dtype);
    desc.layout = input.layout();
    if (a.output_size) {
      PENSTOCK_CHECK(a.output_size->size() == kAxes, ArgumentError,
                     "`output_size` must be a height and a width, got {} numbers for sample {}", a.output_size->size(),
                     sample);
      for (int axis = 0; axis < 2; ++axis) {
        const int64_t extent = (*a.output_size)[static_cast<size_t>(axis)];
        PENSTOCK_CHECK(extent >= 0 && extent < (int64_t{1} << 31), ArgumentError,
                       "`output_size` has an extent of {} for sample {}", extent, sample);
        desc.shape[h + axis] = extent;
      }
      return desc;
    }
    for (const TensorList* one : batch.inputs)
      for (int64_t i = 0; i < one->size(); ++i)
        PENSTOCK_CHECK((*one)[i].shape == input[0].shape, ArgumentError,
                       "without `output_size` all pictures must have one shape, got {} and {}",
                       to_string((*one)[i].shape), to_string(input[0].shape));
    return desc;
  }

  static Piece piece(const MultiPasteArgs& a, const TensorView& from, size_t k, size_t count, const TensorDesc& canvas,
                     int64_t sample) {
    Piece one{.from = from};
    check_count("in_anchors", a.in_anchors, a.in_anchors_rel, count, sample);
    check_count("shapes", a.shapes, a.shapes_rel, count, sample);
    check_count("out_anchors", a.out_anchors, a.out_anchors_rel, count, sample);
    for (size_t axis = 0; axis < kAxes; ++axis) {
      const int64_t extent = from.shape[height_axis(from) + static_cast<int>(axis)];
      const int64_t room = canvas.shape[height_axis(canvas) + static_cast<int>(axis)];
      const size_t at = kAxes * k + axis;
      one.begin[axis] = number({"in_anchors_rel", a.in_anchors, a.in_anchors_rel, extent, false}, at, 0);
      one.shape[axis] = number({"shapes_rel", a.shapes, a.shapes_rel, extent, true}, at, extent - one.begin[axis]);
      one.at[axis] = number({"out_anchors_rel", a.out_anchors, a.out_anchors_rel, room, false}, at, 0);
      check_inside("`in_anchors` and `shapes`", "the picture", one.begin[axis], one.shape[axis], extent, k, sample,
                   axis);
      check_inside("`out_anchors` and `shapes`", "the canvas", one.at[axis], one.shape[axis], room, k, sample, axis);
    }
    return one;
  }
  static void check_count(const char* name, const Ints& absolute, const Floats& relative, size_t count,
                          int64_t sample) {
    const size_t given = absolute ? absolute->size() : relative ? relative->size() : kAxes * count;
    PENSTOCK_CHECK(given == kAxes * count, ArgumentError,
                   "`{}{}` needs two numbers for each of {} pasted regions, got {} for sample {}", name,
                   relative ? "_rel" : "", count, given, sample);
  }
  /// A list of pixels or, where that is not given, of parts of an extent.
  struct Given {
    const char* relative_name;
    const Ints& absolute;
    const Floats& relative;
    int64_t extent;
    bool up;  ///< round parts of a pixel up
  };
  static int64_t number(const Given& given, size_t at, int64_t fallback) {
    if (given.absolute) return (*given.absolute)[at];
    if (!given.relative) return fallback;
    const float share = (*given.relative)[at], exact = share * static_cast<float>(given.extent);
    PENSTOCK_CHECK(share >= 0 && share <= 1, ArgumentError, "`{}` must lie in [0, 1], got {}", given.relative_name,
                   share);
    return static_cast<int64_t>(given.up ? std::ceil(exact) : std::floor(exact));
  }
  static void check_inside(const char* names, const char* where, int64_t begin, int64_t shape, int64_t extent, size_t k,
                           int64_t sample, size_t axis) {
    PENSTOCK_CHECK(begin >= 0 && shape >= 0 && begin <= extent && shape <= extent - begin, ArgumentError,
                   "{} put region {} of sample {} out of {}: {} elements from {} on, of {} along {}", names, k, sample,
                   where, shape, begin, extent, "HW"[axis]);
  }

  static void paste(const Piece& piece, const TensorView& canvas) {
    const int h = height_axis(canvas);
    const int64_t channels = canvas.shape[h + 2], frames = h == 0 ? 1 : canvas.shape[0];
    const int64_t row = piece.shape[1] * channels;
    const auto first = [&](const TensorView& of, const std::array<int64_t, kAxes>& begin, int64_t frame, int64_t y) {
      return ((frame * of.shape[h] + begin[0] + y) * of.shape[h + 1] + begin[1]) * channels;
    };
    for (int64_t frame = 0; frame < frames && row > 0; ++frame)
      for (int64_t y = 0; y < piece.shape[0]; ++y)
        copy_row(piece.from, first(piece.from, piece.begin, frame, y), canvas, first(canvas, piece.at, frame, y), row);
  }
  static void copy_row(const TensorView& from, int64_t begin, const TensorView& to, int64_t at, int64_t count) {
    const size_t element = size_of(from.dtype);
    if (from.dtype == to.dtype) {
      std::memcpy(to.data + static_cast<size_t>(at) * element, from.data + static_cast<size_t>(begin) * element,
                  static_cast<size_t>(count) * element);
      return;
    }
    kernels::convert(from.dtype, from.data + static_cast<size_t>(begin) * element, to.dtype,
                     to.data + static_cast<size_t>(at) * size_of(to.dtype), count);
  }
};

}  // namespace

[[gnu::cold]] void register_multi_paste(Registry& r) {
  auto op = r.add<MultiPaste>("multi_paste");
  op.doc(
      "Pastes regions of several pictures onto each canvas, one over the other: of samples of a batch that `in_ids` "
      "names, or of the samples at the same place of several inputs. What nothing is pasted on is 0.");
  op.kind(OpKind::kBatch);
  op.input("images", {"HWC", "FHWC"}, "Pictures of one type.").variadic();
  op.output("canvas", "Pictures of `output_size`.");
  op.arg("in_ids", &MultiPasteArgs::in_ids, "For each sample: which samples of the batch are pasted, in that order.",
         kPerSample);
  op.arg("output_size", &MultiPasteArgs::output_size,
         "Height and width of the canvas; by default those of the pictures, if all have one shape.", kPerSample);
  op.arg("in_anchors", &MultiPasteArgs::in_anchors, "Where regions begin: y and x in the picture, for each region.",
         kPerSample);
  op.arg("in_anchors_rel", &MultiPasteArgs::in_anchors_rel, "The same in parts of the picture's extents.", kPerSample);
  op.arg("shapes", &MultiPasteArgs::shapes,
         "Height and width of each region; by default all of the picture from where it begins.", kPerSample);
  op.arg("shapes_rel", &MultiPasteArgs::shapes_rel, "The same in parts of the picture's extents.", kPerSample);
  op.arg("out_anchors", &MultiPasteArgs::out_anchors, "Where regions go: y and x on the canvas, for each region.",
         kPerSample);
  op.arg("out_anchors_rel", &MultiPasteArgs::out_anchors_rel, "The same in parts of the canvas's extents.", kPerSample);
  op.arg("dtype", &MultiPasteArgs::dtype, "Type of the canvas; by default that of the pictures.");
  op.example({{"output_size", {12, 14}}, {"out_anchors", {1, 2, 3, 0}}});
}

}  // namespace penstock
