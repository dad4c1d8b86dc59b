#include <vector>

#include "device/gpu_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PreviousSampleArgs {};

class PreviousSample final : public BatchOperator<PreviousSampleArgs>, public device::GpuBatchForm {
 public:
  std::vector<std::string_view> kernels() const override { return {}; }
  void run(BatchContext& batch, device::Device&, device::Stream) const override { run(batch); }
  void run(BatchContext& batch) const override {
    const TensorList& in = *batch.inputs[0];
    std::vector<int64_t> before;
    for (int64_t i = 0; i < in.size(); ++i) before.push_back(i > 0 ? i - 1 : in.size() - 1);
    batch.outputs[0] = in.select(before);
  }
};

}  // namespace

[[gnu::cold]] void register_previous_sample(Registry& r) {
  r.add<PreviousSample>("_previous_sample")
      .doc("The sample before each in the batch; the last one before the first. Nothing is copied.")
      .kind(OpKind::kBatch)
      .input("data", {}, "A batch of any shape and type.")
      .output("output", "The same samples in another order.")
      .hidden();
}

}  // namespace penstock
