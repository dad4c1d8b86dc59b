#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "core/check.h"
#include "core/wide_random.h"
#include "kernels/strided/strided.h"
#include "ops/elements/element_form.h"
#include "ops/mix/mix.h"

namespace penstock {
namespace {

struct CutMixArgs : MixArgs {
  std::vector<int64_t> box;
};

/// Rows and columns of a box of `share` of the picture's area around a random place, cut down to the picture.
struct BoxArgs {
  float share = 1;
};

class CutMixBox final : public SampleOperator<BoxArgs> {
 public:
  CutMixBox() { traits_.shape_only = kAllInputs; }
  void infer(Sample& s) const override {
    s.out(0).describe({.dtype = DType::kInt64, .shape = {4}, .layout = {}});
    s.out(1).describe({.dtype = DType::kFloat, .shape = {}, .layout = {}});
  }
  void run(Sample& s) const override {
    TensorDesc in = s.in(0).tensor;
    if (in.layout.empty()) in.layout = in.shape.ndim() == 4 ? "FHWC" : in.shape.ndim() == 3 ? "HWC" : "";
    PENSTOCK_CHECK(in.layout.has('H') && in.layout.has('W'), ArgumentError,
                   "cutmix needs a layout with H and W, got \"{}\"", in.layout.view());
    const PlaneRegion all = whole_plane(in);
    WideRandom random(s.random());
    const double side = std::sqrt(1 - std::clamp(static_cast<double>(args(s).share), 0., 1.));
    const auto along = [&](int64_t extent) {
      const auto centre = static_cast<int64_t>(random.uniform() * static_cast<double>(extent));
      const auto half = static_cast<int64_t>(side / 2 * static_cast<double>(extent));
      return std::pair{std::max<int64_t>(centre - half, 0), std::min(centre + half, extent)};
    };
    const auto [y0, y1] = along(all.y1);
    const auto [x0, x1] = along(all.x1);
    int64_t* box = s.out(0).tensor.as<int64_t>();
    box[0] = y0, box[1] = x0, box[2] = y1, box[3] = x1;
    const double area = static_cast<double>(all.y1) * static_cast<double>(all.x1);
    const double cut = static_cast<double>(y1 - y0) * static_cast<double>(x1 - x0);
    *s.out(1).tensor.as<float>() = area > 0 ? static_cast<float>(1 - cut / area) : 1.f;
  }
};

/// Puts a box of one picture into another. A node of users' becomes one of these.
class CutMix final : public SampleOperator<CutMixArgs, PlaneRegion>, public device::GpuForm {
  static constexpr int kParts = 5;

 public:
  void infer(Sample& s) const override {
    const TensorDesc& own = s.in(0).tensor;
    check_mixable(own, s.in(1).tensor);
    const std::vector<int64_t>& box = args(s).box;
    const PlaneRegion all = whole_plane(own);
    PENSTOCK_CHECK(box.size() == 4 && box[0] >= 0 && box[0] <= box[2] && box[2] <= all.y1 && box[1] >= 0 &&
                       box[1] <= box[3] && box[3] <= all.x1,
                   ArgumentError, "`box` must be rows and columns of the picture, got [{}]", fmt::join(box, ", "));
    state(s) = {box[0], box[1], box[2], box[3]};
    s.out(0).describe(own);
  }
  void run(Sample& s) const override {
    const TensorView &own = s.in(0).tensor, &other = s.in(1).tensor, &out = s.out(0).tensor;
    if (out.nbytes() == 0) return;
    std::memcpy(out.data, own.data, out.nbytes());
    const PlaneRegion& box = state(s);
    const kernels::Strides strides = kernels::dense_strides(out.shape);
    const size_t element = size_of(out.dtype);
    const auto first =
        static_cast<size_t>(box.y0 * stride_of(out, strides, 'H') + box.x0 * stride_of(out, strides, 'W'));
    if (!box.empty())
      kernels::strided_copy(cut(out, in_plane(box, out)).shape, element, other.data + first * element, strides,
                            out.data + first * element, strides);
  }

  std::vector<std::string_view> kernels() const override { return {penstock::kernels::kElements.name}; }
  size_t job_size() const override { return kParts * sizeof(penstock::kernels::ElementJob); }
  void describe(Sample& s, device::Staging& staging, std::byte* job, bool) const override {
    const TensorDesc& out = s.out(0).tensor;
    const PlaneRegion &box = state(s), all = whole_plane(out);
    const std::array<PlaneRegion, kParts> parts = {
        PlaneRegion{0, 0, box.y0, all.x1}, PlaneRegion{box.y1, 0, all.y1, all.x1},
        PlaneRegion{box.y0, 0, box.y1, box.x0}, PlaneRegion{box.y0, box.x1, box.y1, all.x1}, box};
    auto* jobs = new (job) penstock::kernels::ElementJob[kParts];
    for (size_t k = 0; k < kParts; ++k) {
      jobs[k].lane_extent = 0;
      if (parts[k].empty() || out.shape.volume() == 0) continue;
      const TensorDesc part = cut(out, in_plane(parts[k], out));
      ElementView view = ElementView::broadcast(part.shape, part.shape);
      Shape start = out.shape;
      for (int axis = 0; axis < out.shape.ndim(); ++axis) {
        const auto at = static_cast<size_t>(axis);
        start[axis] = out.layout[axis] == 'H' ? parts[k].y0 : out.layout[axis] == 'W' ? parts[k].x0 : 0;
        view.axis[at] = axis, view.step[at] = 1, view.start[at] = start[axis];
      }
      ElementWork work;
      work.begin(part);
      work.place(out.shape, start);
      const int from = k + 1 == kParts ? 1 : 0;
      work.load(work.input(from, s.in(from).tensor, view));
      work.write(staging, std::array{0, 1}, jobs[k]);
    }
  }
  void connect(std::byte* job, const Places& places) const override {
    auto* jobs = reinterpret_cast<penstock::kernels::ElementJob*>(job);
    for (size_t k = 0; k < kParts; ++k) connect_elements(jobs[k], places);
  }
  void launch(const device::Launch& l) const override {
    using penstock::kernels::ElementJob, penstock::kernels::ElementMachine;
    penstock::kernels::ElementParameters parameters{.machine = ElementMachine::kPixels, .line = true};
    const auto* described = reinterpret_cast<const ElementJob*>(l.described);
    for (int i = 0; i < l.count * kParts; ++i) suit(parameters, described[i]);
    l.kernels.at(penstock::kernels::kElements)({.stream = l.stream,
                                                .jobs = reinterpret_cast<const ElementJob*>(l.jobs),
                                                .count = l.count * kParts,
                                                .most_elements = static_cast<int64_t>(l.most_elements),
                                                .parameters = parameters});
  }

 private:
  static int64_t stride_of(const TensorDesc& desc, const kernels::Strides& strides, char letter) {
    const int axis = desc.layout.find(letter);
    return axis < 0 ? 0 : strides[static_cast<size_t>(axis)];
  }
};

std::vector<Node> expand(const AddNode& add, const OpNode& node) {
  MixNodes nodes(add, node);
  const std::vector<Node> box = nodes.add("_cutmix_box", {nodes.images()}, {"seed"}, {{"share", nodes.share()}});
  const Node images = nodes.add_mixed("_cutmix", {{"box", box[0]}});
  return {images, nodes.mixed_labels(box[1])};
}

}  // namespace

[[gnu::cold]] void register_cutmix(Registry& r) {
  add_mix<CutMix>(r, "cutmix",
                  "Puts a random box of the sample before it in the batch (of the last one, into the first) into each "
                  "sample, and mixes labels by its area (Yun et al., \"CutMix\", 2019). Frames and channels share the "
                  "box, which depends on the seed, the epoch and the sample alone.",
                  {"HWC", "CHW", "FHWC", "FCHW", "DHWC"},
                  "Pictures of any type; neighbours in the batch have one shape.")
      .expands(expand);
  r.add<CutMix>("_cutmix")
      .doc("Puts a box of one picture into another.")
      .input("own", {"HWC", "CHW", "FHWC", "FCHW", "DHWC"}, "A picture of any type.")
      .holds("alike")
      .input("other", {"HWC", "CHW", "FHWC", "FCHW", "DHWC"}, "Of the same shape and type.")
      .holds("alike")
      .output("mixed", "The first one, with the box of the other.")
      .arg("box", &CutMixArgs::box, "First row and column, and those behind the last.", kPerSample)
      .example({{"box", {0, 0, 1, 1}}})
      .hidden();
  r.add<CutMixBox>("_cutmix_box")
      .doc("A random box.")
      .input("images", {}, "Only the shape matters.")
      .output("box", "int64: first row and column, and those behind the last.")
      .output("share", "FLOAT: the share of the area outside.")
      .arg("share", &BoxArgs::share, "The same before the box was cut down to the picture.", kPerSample)
      .example({{"share", 0.3}})
      .host_only("a few numbers, which the host needs")
      .random()
      .hidden();
}

}  // namespace penstock
