// Which samples a batch holds: asks the order of every reader, and finds replacements for samples that failed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/batch_state.h"
#include "pipeline/buckets.h"
#include "pipeline/plan.h"

namespace penstock {

class Chooser {
 public:
  Chooser(const Plan& plan, const PipelineOptions& options) : plan_(plan), options_(options) {}

  /// Fills picks, ids and valid of a batch that has its iteration and the number of its samples, or as many as the
  /// reader's epoch end leaves. On any thread, once orders() has been called.
  void choose(BatchState& batch) const;
  /// Another sample of the data set for `slot`: a pure function of (seed, epoch, sample, attempt), valid as the first
  /// was.
  void replace(BatchState& batch, size_t slot, int attempt) const;
  /// One per reader; opened at first use, which `lazy_init` may have put off.
  const std::vector<order::Spec>& orders();
  /// The first batch of this run and what was seen before it: the rest of the run is counted from there.
  void start_at(int64_t iteration, std::vector<order::Progress> progress);
  int64_t first_iteration() const { return first_iteration_; }

 private:
  void fill_buckets();
  const Plan& plan_;
  const PipelineOptions& options_;
  std::vector<order::Spec> orders_;
  std::vector<order::Epochs> epochs_;
  std::vector<order::Epochs>
      whole_epochs_;                        // the same, counted from the beginning of the epoch in which the run begins
  std::unique_ptr<const Buckets> buckets_;  // of the first reader; none where samples come in their order
  int64_t first_iteration_ = 0;
};

}  // namespace penstock
