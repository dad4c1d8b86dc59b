// Brings samples into memory before workers get to them: order is a pure function, so those of batches to come are
// known.
//
// Only while that helps. A hint takes about 6 us for a file and 1 us for a record of a mapped database, too much for
// records that take 17 us in all; so hints are timed. As long as some of them wait for the disk, every sample gets one;
// when they find everything in memory, a few samples are still tried now and then, to notice when that ends. Timing
// the workers' reads instead would miss mapped databases, whose pages are waited for in the decoder.
#pragma once

#include <cstdint>
#include <memory>

#include "core/worker_pool.h"
#include "pipeline/chooser.h"
#include "pipeline/plan.h"
#include "pipeline/stats.h"

namespace penstock {

class ReadAhead {
 public:
  /// All four must outlive this object.
  ReadAhead(const Plan& plan, const PipelineOptions& options, const Chooser& chooser, Stats& stats);
  /// As forget().
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Batch `iteration` starts now: hints at what comes behind it, and at first at the batch itself. Does not wait.
  void follow(int64_t iteration);
  /// Another batch than the following one comes next. Waits for hints under way and drops the others; no reader is
  /// asked afterwards until follow().
  void forget();

  /// How far ahead of the batch that starts, at least.
  static int batches(const PipelineOptions& options);

 private:
  struct Run;
  struct Block;
  void submit(std::shared_ptr<Block> block, int chunk);

  const Plan& plan_;
  const PipelineOptions& options_;
  const Chooser& chooser_;
  Stats& stats_;
  std::shared_ptr<WorkerPool> threads_;  // from the first hint on
  std::shared_ptr<Run> run_;
  int64_t next_ = 0;         // the first batch not yet hinted at
  Clock::time_point tried_;  // when hints were last given
};

}  // namespace penstock
