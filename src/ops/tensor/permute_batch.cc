#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/check.h"
#include "device/gpu_form.h"
#include "schema/registry.h"

namespace penstock {
namespace {

struct PermuteBatchArgs {
  std::vector<int64_t> indices;
};

class PermuteBatch final : public BatchOperator<PermuteBatchArgs>, public device::GpuBatchForm {
 public:
  std::vector<std::string_view> kernels() const override { return {}; }
  void run(BatchContext& batch, device::Device&, device::Stream) const override { run(batch); }
  void run(BatchContext& batch) const override {
    const TensorList& in = *batch.inputs[0];
    std::vector<int64_t> indices;
    if (spec().arg_inputs.empty())
      indices = constants().indices;
    else
      for (int64_t i = 0; i < in.size(); ++i)
        for (int64_t index : args(batch, i).indices) indices.push_back(index);
    PENSTOCK_CHECK(static_cast<int64_t>(indices.size()) == in.size(), ArgumentError,
                   "`indices` holds {} numbers for a batch of {} samples", indices.size(), in.size());
    for (int64_t index : indices)
      PENSTOCK_CHECK(index >= 0 && index < in.size(), IndexError,
                     "Sample index out of range: {} where the batch has {} samples", index, in.size());
    batch.outputs[0] = in.select(indices);
  }
};

struct BatchPermutationArgs {
  bool allow_repetitions = false, no_fixed_points = false;
};

class BatchPermutation final : public BatchOperator<BatchPermutationArgs> {
 public:
  void run(BatchContext& batch) const override {
    const auto n = static_cast<uint32_t>(batch.ids.size());
    Random random(spec().seed, n > 0 ? batch.ids[0].epoch : 0, n > 0 ? batch.ids[0].sample : 0);
    const std::vector<int32_t> order = constants().allow_repetitions ? drawn(n, random) : permuted(n, random);
    auto kept = std::make_shared<std::vector<int32_t>>(order);
    Buffer block{kept, reinterpret_cast<std::byte*>(kept->data()), kept->size() * sizeof(int32_t)};
    batch.outputs[0] = TensorList(std::move(block), n, {DType::kInt32, {}, {}});
  }

 private:
  /// Independent draws; without fixed points, from the other samples only.
  std::vector<int32_t> drawn(uint32_t n, Random& random) const {
    std::vector<int32_t> list;
    const bool skip_self = constants().no_fixed_points && n > 1;
    for (uint32_t i = 0; i < n; ++i) {
      const uint32_t k = random.below(skip_self ? n - 1 : n);
      list.push_back(static_cast<int32_t>(skip_self && k >= i ? k + 1 : k));
    }
    return list;
  }

  /// Fisher and Yates; Sattolo's variant, which makes one cycle, where no sample may stay in place.
  std::vector<int32_t> permuted(uint32_t n, Random& random) const {
    std::vector<int32_t> list(n);
    std::iota(list.begin(), list.end(), 0);
    const uint32_t self = constants().no_fixed_points ? 0 : 1;
    for (uint32_t i = n; i-- > 1;) std::swap(list[i], list[random.below(i + self)]);
    return list;
  }
};

}  // namespace

[[gnu::cold]] void register_permute_batch(Registry& r) {
  r.add<PermuteBatch>("permute_batch")
      .doc("Rearranges the samples of a batch; nothing is copied.")
      .kind(OpKind::kBatch)
      .input("data", {}, "A batch of any shape and type.")
      .output("output", "The samples that the indices name.")
      .arg("indices", &PermuteBatchArgs::indices, "Which sample comes to each place, one index per sample.",
           kPerSample | kRequired)
      .example({{"indices", ExampleNode{"batch_permutation"}}});
}

[[gnu::cold]] void register_batch_permutation(Registry& r) {
  r.add<BatchPermutation>("batch_permutation")
      .doc("A random order of the samples of a batch, for `permute_batch`.")
      .kind(OpKind::kBatch)
      .output("indices", "One int32 scalar per sample.")
      .arg("allow_repetitions", &BatchPermutationArgs::allow_repetitions, "Whether samples may occur more than once.")
      .arg("no_fixed_points", &BatchPermutationArgs::no_fixed_points,
           "Whether every sample must leave its place; has no effect on a batch of one.")
      .devices({"cpu"})
      .host_only("a short list for permute_batch, which the host must read")
      .random();
}

}  // namespace penstock
