// A batch in the making: which samples it holds, what exists of it so far, what went wrong.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include <penstock/pipeline.h>

#include "core/worker_pool.h"
#include "pipeline/gpu_end.h"
#include "pipeline/gpu_work.h"
#include "pipeline/list_builder.h"
#include "pipeline/plan.h"
#include "schema/sample.h"

namespace penstock {

/// What a node has selected for a sample: its type, kNone where the sample is of another branch, and its rank.
struct SelectedKind {
  DType dtype = DType::kNone;
  int ndim = 0;
  friend bool operator==(const SelectedKind&, const SelectedKind&) = default;
};

struct BatchState {
  int64_t iteration = 0;
  int samples = 0;                                     ///< that it is to have; an epoch's end may leave fewer
  int64_t serial = 0;                                  ///< order of scheduling, unlike `iteration` never reset
  std::vector<order::Pick> picks;                      ///< readers x samples, all readers of a sample side by side
  std::vector<SampleId> ids;                           ///< one per sample
  std::vector<uint8_t> valid;                          ///< one per sample
  std::vector<TensorList> lists;                       ///< by PlannedValue::list
  std::vector<TensorList> outputs;                     ///< when it is done
  std::vector<std::unique_ptr<ListBuilder>> builders;  ///< likewise, while a sample step runs
  std::vector<Buffer> offered;                         ///< memory for outputs, in their order; may hold none
  std::vector<TensorList> brought;                     ///< there, what the host has made; likewise
  std::vector<SelectedKind> selections;                ///< [slot][PlannedStep::selections], likewise
  std::unique_ptr<GpuWork> gpu;                        ///< while a sample step with GPU operators runs
  std::vector<std::vector<int>> refused;               ///< by slot: nodes that the GPU would not do; empty: none at all
  std::vector<int> attempts;                           ///< by slot: samples that this step tried in its place
  std::vector<std::exception_ptr> errors;              ///< one per sample; null: fine
  std::exception_ptr batch_error;                      ///< what the consumer gets instead of the batch
  bool done = false;                                   ///< guarded by the executor's mutex
  int consumer_step = -1;                              ///< likewise: the step that the consumer is to do, or -1
  std::shared_ptr<Job> making;                         ///< likewise: the latest sample step's work
  std::optional<GpuWatch> gpu_watch;                   ///< likewise: while the GPU will soon be done with a step

  bool was_refused(int node, size_t slot) const {
    return !refused.empty() && std::find(refused[slot].begin(), refused[slot].end(), node) != refused[slot].end();
  }
  int size() const { return static_cast<int>(ids.size()); }
};

/// A batch that no thread has begun.
inline std::unique_ptr<BatchState> new_batch(const Plan& plan, int64_t iteration, int samples) {
  auto batch = std::make_unique<BatchState>(BatchState{.iteration = iteration, .samples = samples});
  batch->lists.resize(static_cast<size_t>(plan.num_lists));
  return batch;
}

}  // namespace penstock
