#include <algorithm>
#include <optional>
#include <vector>

#include "core/check.h"
#include "kernels/strided/strided.h"
#include "ops/axes.h"
#include "ops/elements/element_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct TransposeArgs {
  std::optional<std::vector<int64_t>> perm;
  bool transpose_layout = true;
  std::optional<std::string> output_layout;
};

class Transpose final : public SampleOperator<TransposeArgs>, public ElementForm {
 public:
  Transpose() { program_.keeps_pixels = true; }
  void setup() override {
    const TransposeArgs& args = constants();
    PENSTOCK_CHECK(!args.output_layout || !args.output_layout->empty(), ArgumentError,
                   "Providing an empty output layout is not supported");
    if (!args.perm) return;
    std::vector<int64_t> sorted = *args.perm;
    std::sort(sorted.begin(), sorted.end());
    for (size_t i = 0; i < sorted.size(); ++i)
      PENSTOCK_CHECK(sorted[i] == static_cast<int64_t>(i), ArgumentError,
                     "Invalid permutation [{}]: `perm` must hold each of 0..{} once", fmt::join(*args.perm, ", "),
                     sorted.size() - 1);
  }

  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const TransposeArgs& args = this->args(s);
    const int ndim = in.shape.ndim();
    PENSTOCK_CHECK(!args.perm || static_cast<int>(args.perm->size()) == ndim, ArgumentError,
                   "Input has different dimensionality ({}) than the length of the permutation ({})", ndim,
                   args.perm->size());
    TensorDesc& out = s.out(0).tensor;
    out.dtype = in.dtype;
    out.shape = {};
    std::string letters;
    for (int i = 0; i < ndim; ++i) {
      out.shape.push_back(in.shape[source_axis(args, i, ndim)]);
      if (!in.layout.empty()) letters += in.layout[source_axis(args, i, ndim)];
    }
    out.layout = args.output_layout      ? layout_for(*args.output_layout, ndim)
                 : args.transpose_layout ? Layout(letters)
                                         : in.layout;
  }

  void run(Sample& s) const override {
    const TensorView& in = s.in(0).tensor;
    const TensorView& out = s.out(0).tensor;
    const kernels::Strides from = kernels::dense_strides(in.shape);
    kernels::Strides strides{};
    const int ndim = in.shape.ndim();
    for (int i = 0; i < ndim; ++i)
      strides[static_cast<size_t>(i)] = from[static_cast<size_t>(source_axis(args(s), i, ndim))];
    kernels::strided_copy(out.shape, size_of(in.dtype), in.data, strides, out.data, kernels::dense_strides(out.shape));
  }

  void compile(Sample& s, device::Staging&, ElementWork& work, const ElementAsk&) const override {
    const TensorDesc& in = s.in(0).tensor;
    ElementView view;
    for (int i = 0; i < in.shape.ndim(); ++i) {
      view.axis[static_cast<size_t>(i)] = source_axis(args(s), i, in.shape.ndim());
      view.step[static_cast<size_t>(i)] = 1;
    }
    work.begin(s.out(0).tensor);
    work.load(work.input(0, in, view));
  }

 private:
  static int source_axis(const TransposeArgs& args, int axis, int ndim) {
    return args.perm ? static_cast<int>((*args.perm)[static_cast<size_t>(axis)]) : ndim - 1 - axis;
  }
};

}  // namespace

[[gnu::cold]] void register_transpose(Registry& r) {
  r.add<Transpose>("transpose")
      .doc("Permutes the axes.")
      .input("data", {}, "Tensor of any shape and type.")
      .output("output", "The same elements with permuted axes.")
      .arg("perm", &TransposeArgs::perm, "Input axis of each output axis. Reverses the axes when not given.")
      .arg("transpose_layout", &TransposeArgs::transpose_layout, "Whether the layout is permuted with the axes.")
      .arg("output_layout", &TransposeArgs::output_layout, "Layout of the output; overrides `transpose_layout`.");
}

}  // namespace penstock
