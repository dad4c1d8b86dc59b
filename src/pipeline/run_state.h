// Saving and restoring where a run is: the position of every reader and enough of the pipeline's identity to refuse
// another pipeline's state by name.
#pragma once

#include <string>
#include <vector>

#include "order/order.h"
#include "pipeline/plan.h"

namespace penstock {

struct RunState {
  int64_t iteration = 0;                  ///< the next batch
  std::vector<order::Progress> progress;  ///< of each reader
};

/// JSON of a few hundred bytes: the state after `taken` batches of a run that began at batch `first`.
std::string save_run_state(const Plan& plan, const PipelineOptions& options, const std::vector<order::Spec>& orders,
                           int64_t first, int64_t taken);

/// @throws ArgumentError that names the first difference when the state belongs to another pipeline or data set, or
/// what is wrong with a text that is no state
RunState read_run_state(const Plan& plan, const PipelineOptions& options, const std::vector<order::Spec>& orders,
                        const std::string& text);

}  // namespace penstock
