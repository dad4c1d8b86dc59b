// Batches in flight: each goes through the plan's steps, its samples on whatever workers are free, and comes out in the
// order in which it was started.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/adaptive_spin.h"
#include "core/host_pool.h"
#include "core/worker_pool.h"
#include "pipeline/batch_state.h"
#include "pipeline/chooser.h"
#include "pipeline/dropped.h"
#include "pipeline/failure_log.h"
#include "pipeline/offered_memory.h"
#include "pipeline/plan.h"
#include "pipeline/sample_task.h"
#include "pipeline/sharing.h"
#include "pipeline/stats.h"

namespace penstock {

class Executor {
 public:
  /// @param gpu where the plan's GPU operators run; null when it has none
  Executor(const Plan& plan, const PipelineOptions& options, const Chooser& chooser, device::Device* gpu);
  /// Waits for what is running; batches not taken are dropped.
  ~Executor();

  /// Starts a batch that has its iteration, the number of its samples, and lists of external sources.
  void start(std::unique_ptr<BatchState> batch);
  /// Waits at most that long for the oldest batch to be done or handed over. True when take() would not block.
  bool wait_for(std::chrono::microseconds limit);
  /// The oldest batch, as soon as it is done. @throws EndOfData when none was started.
  std::unique_ptr<BatchState> take();
  /// As Pipeline has it.
  std::optional<ConsumerStep> consumer_step();
  void end_consumer_step(std::vector<TensorList> outputs);
  void end_consumer_step(std::exception_ptr error);
  /// Forgets all batches in flight. Waits for what runs, until then at most, and begins nothing else.
  /// @return false where something still runs: to be called again
  bool drop_all(Clock::time_point until = Clock::time_point::max());
  int in_flight() const;
  /// As Pipeline has it.
  void offer(int64_t iteration, size_t output, Buffer memory) { offered_.offer(iteration, output, std::move(memory)); }

  FailureLog& failures() { return failures_; }
  Stats& stats() { return stats_; }
  const Stats& stats() const { return stats_; }

 private:
  using Tasks = std::vector<std::unique_ptr<SampleTask>>;

  /// Has the batch's samples chosen and goes on with it.
  void begin(BatchState& batch);
  void start_step(BatchState& batch, size_t step);
  void start_sample_step(BatchState& batch, size_t step);
  /// Memory into which samples of the step are made.
  void make_room(BatchState& batch, size_t step) const;
  void run_samples(BatchState& batch, size_t step, int begin, int end);
  void make_sample(SampleTask& task, BatchState& batch, size_t step, size_t slot);
  void finish_sample_step(BatchState& batch, size_t step);
  void check_selections(BatchState& batch, const PlannedStep& step);
  /// Ends the batch with what is being caught, which is the fault of none of its samples. From any worker.
  /// @param at whose work it was, where it was one operator's for the whole batch
  void fail_batch(BatchState& batch, const PlannedNode* at = nullptr);
  void end_batch(BatchState& batch, const std::exception_ptr& error);
  /// What is being caught, as the consumer gets it.
  std::exception_ptr batch_error_of(const BatchState& batch, const PlannedNode* at) const;
  /// Starts the GPU's part, if there is one; by then no other thread works for the batch.
  void finish_on_gpu(BatchState& batch, size_t step);
  bool zeroes() const { return options_.on_error == OnError::kZero; }
  /// Slots whose samples are fine. @throws the first error where `on_error` does not say what to do with the others, or
  /// that cannot be done
  std::vector<int64_t> good_slots(const BatchState& batch) const;
  [[noreturn]] void raise_untreated(const BatchState& batch, size_t slot) const;
  /// Sees to it that the batch goes on when the GPU is done.
  void await_gpu(BatchState& batch, size_t step);
  /// The consumer looks whether the GPU is done.
  void watch(const GpuWatch& watched, Clock::time_point until);
  /// Looks at what the GPU refused, once it is done: the step is then done again, with these samples left to the host.
  void look_at_refusals(BatchState& batch, size_t step, const std::exception_ptr& lost);
  void settle_step(BatchState& batch, size_t step);
  /// Turns what a sample step made into lists, with failed samples treated as `on_error` says.
  void settle_samples(BatchState& batch, const PlannedStep& step);
  /// Has the GPU get what the host has made by now for outputs for which there is memory.
  void bring_outputs(BatchState& batch, size_t step) const;
  /// What is handed out, where it was asked for.
  std::vector<TensorList> outputs_of(const BatchState& batch) const;
  /// Where a list is made from which the GPU will copy.
  ListBuilder::Allocate allocator_for(int value) const;
  /// Waits until then at most for the oldest batch to be done or handed over. True when there is nothing to wait for.
  bool await_oldest(std::unique_lock<std::mutex>& lock, Clock::time_point until);
  /// Likewise, while batches that failed go on from where they would be handed over.
  bool await_next(std::unique_lock<std::mutex>& lock, Clock::time_point until);
  /// Has all workers make the oldest batch, for which a consumer waits. Where it is the only batch, this thread makes
  /// samples for which workers would have to wake, and begins none after `until`.
  void help(std::unique_lock<std::mutex>& lock, Clock::time_point until);
  void tell();  // needs mutex_
  void submit_one(std::function<void()> run, std::function<void()> done, bool first = false);
  /// Goes on with a batch for which something outside is done: before the samples of later ones.
  void go_on_soon(std::function<void()> go_on) {
    // Before submit() is over the batch may be taken, and this be gone. The pool waits for its workers, not for others.
    const std::shared_ptr<WorkerPool> kept = WorkerPool::on_worker() ? nullptr : workers_;
    submit_one([] {}, std::move(go_on), true);
  }
  void start_batch_step(BatchState& batch, size_t step);
  void run_batch_operator(BatchState& batch, size_t step);
  void run_on_gpu(const BatchState& batch, const PlannedNode& node, BatchContext& context);
  /// The samples of a batch that are of a node's branch, with what it gets of them.
  struct Part {
    std::vector<int64_t> slots;
    std::vector<SampleId> ids;
    std::deque<TensorList> lists;
    BatchContext context;
  };
  Part part_for(const BatchState& batch, const PlannedNode& node) const;
  /// Puts the outputs of a batch operator where later steps find them.
  void keep_outputs(BatchState& batch, const PlannedNode& node, const Part& part,
                    std::vector<TensorList> outputs) const;
  /// Also for a batch with an error: it must not overtake, or it would wait at a later serial step for ever.
  void wait_to_be_taken(BatchState& batch, size_t step);
  void let_failed_go_on();
  bool stands_failed() const;  // needs mutex_
  /// The batch that is handed over, and no longer is; its step.
  std::pair<BatchState*, size_t> go_on();
  void pass_turn(size_t step);
  void finish(BatchState& batch);
  std::unique_ptr<SampleTask> borrow_task(size_t step);
  void give_back_task(size_t step, std::unique_ptr<SampleTask> task);
  /// By what a sample took of late.
  Sharing sharing_of(const BatchState& batch);
  /// Whether enough others are in the making, ahead of the GPU, that no consumer waits for this one.
  bool is_spare(const BatchState& batch) const;
  /// Whose workers are near the GPU.
  int node() const { return gpu_ ? gpu_->node() : kAnyNode; }
  device::Stream stream_of(const BatchState& batch) const;

  const Plan& plan_;
  const PipelineOptions& options_;
  const Chooser& chooser_;
  std::shared_ptr<WorkerPool> workers_ = WorkerPool::process();
  const std::shared_ptr<ConcurrencyLimit> limit_;  // that make samples; null: all workers
  std::shared_ptr<HostPool> memory_ = HostPool::process();
  device::Device* const gpu_;
  std::shared_ptr<void> room_;                  // for threads that are no workers
  std::shared_ptr<void> lookers_;               // among the workers, more than usual
  std::shared_ptr<void> gpu_memory_;            // kept for reuse until the last pipeline on this GPU ends
  std::vector<std::shared_ptr<void>> streams_;  // batches take turns: one for each that is in the making
  mutable Stats stats_;
  Pace pace_;
  FailureLog failures_;
  AdaptiveSpin spin_{std::chrono::microseconds(500), workers_->threads()};  // the consumer's
  std::atomic<uint64_t> news_{0};                                           // changes with what the consumer waits for
  device::StagedBytes staged_;
  OfferedMemory offered_;
  std::atomic<int64_t> gpu_nanoseconds_{0};  // that the latest batch waited for the GPU

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::deque<std::unique_ptr<BatchState>> batches_;  // oldest first
  int running_ = 0;                                  // batches that workers still touch, or that are handed over
  int at_consumer_ = 0;                              // those
  std::atomic<bool> dropping_{false};                // batches under way will not be handed out
  std::vector<Tasks> idle_tasks_;                    // by step
  std::vector<std::atomic<bool>> ragged_;            // by list: whether samples of the latest batch differed in size
  int64_t next_serial_ = 0;
  struct Turn {  // of a serial batch step
    int64_t next = 0;
    std::map<int64_t, BatchState*> waiting;
  };
  std::vector<Turn> turns_;  // by step
};

}  // namespace penstock
