#include <cstring>
#include <numeric>

#include "core/check.h"
#include "device/gpu_form.h"
#include "kernels/gather/job.h"
#include "kernels/strided/strided.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct SequenceRearrangeArgs {
  std::vector<int64_t> new_order;
};

class SequenceRearrange final : public SampleOperator<SequenceRearrangeArgs>,
                                public device::JobForm<kernels::GatherJob> {
 public:
  SequenceRearrange() : JobForm(kernels::kGather) { traits_.of_sequences = true; }
  void infer(Sample& s) const override {
    const TensorDesc& in = s.in(0).tensor;
    const std::vector<int64_t>& order = args(s).new_order;
    PENSTOCK_CHECK(in.shape.ndim() > 0, ArgumentError, "a sequence needs at least one axis, got a scalar");
    PENSTOCK_CHECK(in.layout.empty() || in.layout[0] == 'F', ArgumentError,
                   "the layout of a sequence must begin with F, got \"{}\"", in.layout.view());
    PENSTOCK_CHECK(!order.empty(), ArgumentError, "`new_order` must name at least one element");
    for (const int64_t element : order)
      PENSTOCK_CHECK(element >= 0 && element < in.shape[0], IndexError,
                     "`new_order` names the element {} of a sequence of {}", element, in.shape[0]);
    TensorDesc out = in;
    out.shape[0] = static_cast<int64_t>(order.size());
    s.out(0).describe(out);
  }
  void run(Sample& s) const override {
    const TensorView &in = s.in(0).tensor, &out = s.out(0).tensor;
    if (out.nbytes() == 0) return;
    const size_t bytes = out.nbytes() / static_cast<size_t>(out.shape[0]);
    std::byte* to = out.data;
    for (const int64_t element : args(s).new_order) {
      std::memcpy(to, in.data + static_cast<size_t>(element) * bytes, bytes);
      to += bytes;
    }
  }

 private:
  using JobForm::describe;
  void describe(Sample& s, device::Staging& staging, kernels::GatherJob& job) const override {
    Shape shape = s.out(0).tensor.shape;
    while (shape.ndim() > kernels::kGatherAxes) {  // the last axes become one
      shape[shape.ndim() - 2] *= shape[shape.ndim() - 1];
      shape.erase(shape.ndim() - 1);
    }
    const kernels::Strides strides = kernels::dense_strides(shape);
    PENSTOCK_CHECK(s.in(0).tensor.shape.volume() <= INT32_MAX, ArgumentError,
                   "a sequence of more than 2^31 elements cannot be rearranged on a GPU");
    job.ndim = shape.ndim();
    for (int axis = 0; axis < job.ndim; ++axis) {
      job.extents[axis] = static_cast<int32_t>(shape[axis]);
      const auto [offsets, on_gpu] = staging.make<int32_t>(static_cast<size_t>(shape[axis]));
      for (size_t i = 0; i < offsets.size(); ++i)
        offsets[i] = static_cast<int32_t>((axis == 0 ? args(s).new_order[i] : static_cast<int64_t>(i)) *
                                          strides[static_cast<size_t>(axis)]);
      job.offsets[axis] = on_gpu;
    }
  }
};

}  // namespace

[[gnu::cold]] void register_sequence_rearrange(Registry& r) {
  r.add<SequenceRearrange>("sequence_rearrange")
      .doc("Puts the elements of a sequence, which lie along its first axis, in another order.")
      .input("sequence", {},
             "Tensor of any type with at least one axis; the layout, where there is one, begins with F.")
      .output("rearranged", "Element `i` is the input's element `new_order[i]`.")
      .arg("new_order", &SequenceRearrangeArgs::new_order,
           "Numbers of elements. They may repeat, and elements may be left out.", kPerSample | kRequired)
      .example({{"new_order", {2, 0, 0, 1}}});
}

}  // namespace penstock
