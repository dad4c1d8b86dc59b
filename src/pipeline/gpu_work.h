// What one batch has for the GPU in one step: the samples' values and jobs, collected by workers while the host does
// its part, then started at once.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <penstock/tensor.h>

#include "device/staging.h"
#include "pipeline/plan.h"
#include "pipeline/source_texts.h"

namespace penstock {

class GpuWork {
 public:
  /// @param lists  of the batch: what earlier steps and the user have made, perhaps in the GPU's memory
  /// @param staged bytes that are expected to be staged
  GpuWork(const Plan& plan, const PlannedStep& step, const std::vector<TensorList>& lists, device::Device& device,
          device::Stream stream, size_t samples, size_t staged);
  /// Where an error came between launch() and done(), waits: the GPU may read memory that is not the pools'.
  ~GpuWork();
  GpuWork(const GpuWork&) = delete;
  GpuWork& operator=(const GpuWork&) = delete;

  device::StagingMemory& staging() { return staging_; }
  /// Memory from which the GPU will get a value that the host makes for it.
  std::byte* place(size_t slot, int value, size_t bytes);
  /// Takes over what a sample has for the GPU; data that does not lie in its place is copied there. Slots are filled by
  /// many threads at a time.
  void keep(size_t slot, int value, const Value& data);
  /// Where to describe the work of `node` on a sample.
  std::byte* job(int node, size_t slot);

  /// Has launch() bring an output that the host has made into memory that was offered for it.
  /// @return false where it does not lie side by side, has another size, or the host does not see the end
  bool bring(const TensorList& made, const Buffer& to);

  /// True where all that launch() needs is there; otherwise calls `fn` once it is, on a thread that must not be kept
  /// long. To be asked once, when all samples are described.
  bool ready_or(std::function<void()> fn) { return staging_.outside().done_or(std::move(fn)); }
  /// Starts all work for the `good` samples and returns at once. Lists get the outputs that stay on the GPU: of good
  /// samples alone, or, with `zero_others`, of all, the others zeroed.
  /// @param offered memory for the plan's outputs, in their order. It is used where it has just the size that they
  /// have, and the host sees the end.
  void launch(const std::vector<int64_t>& good, bool zero_others, std::vector<TensorList>& lists,
              const std::vector<Buffer>& offered);
  /// True where the host has to see the end: the GPU may find that it cannot do a sample of those launched, for which
  /// for_each_refused() must be asked then, or it writes into memory that was offered.
  bool is_awaited() const { return awaited_; }
  /// Where the GPU says that all that was launched is done, where that is awaited.
  device::Mark mark() const { return {refusals_, ended_}; }
  /// The host has seen that end: what the batch has of memory needs no events any more, for others to wait for.
  void done();
  /// Names of the operators that the GPU does, for people to read.
  std::string operators() const;
  /// Once it is done: calls fn(node, slot) for samples that the GPU refused to do.
  template <class Fn>
  void for_each_refused(Fn&& fn) const {
    for (size_t i = 0; i < refused_.size(); ++i)
      if (refused_[i]) fn(jobs_[i / samples_].node, i % samples_);
  }

 private:
  struct Kept {
    TensorView tensor;  // data: on the GPU
    Region held;
    std::byte* host = nullptr;  // its place in the staging memory
    size_t bytes() const { return bytes_of(tensor, held); }
  };
  struct Jobs {
    int node = -1;
    device::StagingPlace place;
    size_t size = 0;
    std::vector<uint8_t> described;  // by slot: the sample is of the node's branch
    std::vector<int64_t> among(const std::vector<int64_t>& slots) const;
  };
  /// Gives values that some samples do not have the kind that others' have. False where no sample has one.
  bool fill_skipped(int value, const std::vector<int64_t>& slots);
  size_t place_of(size_t slot, int value) const;  // in kept_ and sources_
  Kept& kept(size_t slot, int value) { return kept_[place_of(slot, value)]; }
  const PlannedValue& planned(int value) const { return plan_.values[static_cast<size_t>(value)]; }
  bool made_here(int value) const { return made_on_gpu(plan_, value, step_); }
  /// Data of the value lay in the GPU's memory when the step began.
  bool resident(int value) const { return resident_[static_cast<size_t>(step_.gpu_slot(value))]; }
  /// The GPU has had nothing to do for the batch before this step.
  bool begins() const;
  /// The value whose memory this one shares in the end.
  int root_of(int value) const;
  void allocate_scratch(const std::vector<int64_t>& slots);
  void expect_refusals();
  bool may_refuse(int node, const std::byte* job) const;
  void allocate_output(int value, const std::vector<int64_t>& slots, const std::vector<Buffer>& offered,
                       std::vector<TensorList>& lists);
  /// Memory for an output: one of those `offered` that will do, or the pool's.
  Buffer memory_for(int value, size_t bytes, bool uniform, const std::vector<Buffer>& offered);
  /// Puts the jobs of good samples side by side and connects them. Returns what they have the GPU copy.
  std::vector<device::CopyJob> pack_jobs(const std::vector<int64_t>& all_good);
  void find_inputs(const PlannedNode& node, size_t slot, std::vector<const std::byte*>& inputs);
  void start_kernels(const std::vector<int64_t>& all_good);

  const Plan& plan_;
  const PlannedStep& step_;
  device::Device& device_;
  const device::Stream stream_;
  const size_t samples_;
  device::StagingMemory staging_;
  std::vector<bool> resident_;  // by gpu_slot
  std::vector<Kept> kept_;      // [slot][gpu_slot]
  SourceTexts sources_;         // likewise
  std::vector<Jobs> jobs_;      // in the order of launches
  std::vector<Buffer> buffers_;
  struct Copies {
    device::StagingPlace jobs;
    int count = 0;
    size_t most_bytes = 0;
  };
  void copy_to(int root, const std::vector<int64_t>& slots, const std::vector<std::byte*>& targets,
               std::vector<Copies>& all);
  void start_copies(const std::vector<Copies>& all);
  std::vector<Copies> copies_;   // of what is there before the kernels
  std::vector<Copies> renamed_;  // of what they make for an output that has another name, too
  Buffer refusals_;
  std::span<int32_t> refused_;  // [jobs][slot], in pinned memory; empty where no operator refuses
  int32_t* ended_ = nullptr;    // behind those
  bool awaited_ = false, done_ = false;
};

}  // namespace penstock
