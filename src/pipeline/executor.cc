#include "pipeline/executor.h"

#include <algorithm>

#include "core/brief_lock.h"
#include "core/check.h"
#include "core/cores.h"
#include "device/transfer.h"
#include "pipeline/depth.h"

namespace penstock {
namespace {

/// Where the host ends batches when the GPU has set a word, the thread that takes them and the one that looks at the
/// words would otherwise wait for a core. On 16 of them one batch in 100 took 1.5 times the median with 14 workers and
/// 1.8 to 4 times with 16, at the same rate. On 32 they need 0.7 of a core for two GPUs.
int cores_for_others(const Plan& plan, int workers) {
  const auto is_waited_for = [](const PlannedNode& node) { return node.form && node.form->may_refuse(nullptr); };
  if (std::none_of(plan.nodes.begin(), plan.nodes.end(), is_waited_for)) return 0;
  const int cores = allowed_cores();
  const int others = std::min(cores / 8, 3);
  return std::max(0, std::min(workers, cores) - (cores - others));
}

// Of eight files at a time: 0.25 ms where that many workers look, 0.28 where four do.
constexpr int kSharers = 8;

}  // namespace

Executor::Executor(const Plan& plan, const PipelineOptions& options, const Chooser& chooser, device::Device* gpu)
    : plan_(plan),
      options_(options),
      chooser_(chooser),
      limit_(options.num_threads > 0 ? std::make_shared<ConcurrencyLimit>(options.num_threads) : nullptr),
      gpu_(gpu),
      stats_(plan.nodes.size()),
      ragged_(static_cast<size_t>(plan.num_lists)) {
  idle_tasks_.resize(plan.steps.size());
  turns_.resize(plan.steps.size());
  // Where batches are made one at a time, each is waited for, so all workers that can share it should be awake.
  if (depth_of(options) == 1) lookers_ = workers_->keep_looking(std::min(kSharers, workers_->threads() / 2));
  if (!gpu_) return;
  gpu_memory_ = gpu_->keep_memory();
  room_ = workers_->leave_cores(cores_for_others(plan, workers_->threads()));
  // With two, the copy of a batch waited for the kernels of the last but one: 4 to 11 % of the rate.
  streams_.resize(static_cast<size_t>(depth_of(options)));
  for (std::shared_ptr<void>& stream : streams_) stream = gpu_->borrow_stream(options.multiprocessors);
  for (const PlannedNode& node : plan.nodes) {
    if (!node.form) continue;
    try {
      node.form->open_on(*gpu_);
    } catch (Error& e) {
      e.add_context(node.context());
      throw;
    }
  }
}

Executor::~Executor() { drop_all(); }

void Executor::start(std::unique_ptr<BatchState> batch) {
  BatchState& started = *batch;
  bool waited_for = false;
  {
    const auto lock = lock_brief(mutex_);
    started.serial = next_serial_++;
    batches_.push_back(std::move(batch));
    waited_for = batches_.size() == 1;
    ++running_;
  }
  if (waited_for) return begin(started);
  // Behind others it may begin later, and the consumer has more to do: 200 digits for a GPU come in 0.33 and 0.41 ms
  // where workers begin and end batches, in 0.55 and 0.59 where the consumer does, in the same minutes.
  submit_one([] {}, [this, &started] { begin(started); });
}

void Executor::begin(BatchState& batch) {
  try {
    chooser_.choose(batch);
    for (TensorList& fed : batch.lists)
      if (fed.size() > batch.size()) fed = fed.head(batch.size());  // an epoch's end left fewer
    batch.errors.resize(batch.ids.size());
    batch.attempts.resize(batch.ids.size());
  } catch (...) {
    fail_batch(batch);
  }
  start_step(batch, 0);
}

bool Executor::await_oldest(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
  const auto ready = [&] { return batches_.empty() || batches_.front()->done || batches_.front()->consumer_step >= 0; };
  // Of several batches workers see the ends: to make lists of them would keep the consumer from other things.
  const auto to_watch = [&] { return batches_.size() == 1 && batches_.front()->gpu_watch; };
  const auto there_is_something = [&] { return ready() || to_watch(); };
  if (!there_is_something()) help(lock, until);
  // A caller that only asks must not sleep, however briefly: the system would give its core to another thread.
  const auto began = Clock::now();
  if (!there_is_something() && began < until) {
    const uint64_t seen = news_;
    lock.unlock();
    spin_.look(began, [&] { return news_ != seen || Clock::now() >= until; });
    lock_brief(lock);
    changed_.wait_until(lock, until, there_is_something);
    spin_.ended(began);
  }
  if (!ready() && to_watch()) {
    const GpuWatch watched = *batches_.front()->gpu_watch;
    lock.unlock();
    watch(watched, until);
    lock_brief(lock);
  }
  if (!ready() && began < until) changed_.wait_until(lock, until, ready);
  return ready();
}

bool Executor::await_next(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
  while (await_oldest(lock, until)) {
    if (!stands_failed()) return true;
    lock.unlock();
    let_failed_go_on();
    lock_brief(lock);
  }
  return false;
}

void Executor::help(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
  if (const std::shared_ptr<Job> making = batches_.front()->making) {
    lock.unlock();
    workers_->hurry(making);
    lock_brief(lock);
  }
  // Of several batches workers are at one anyhow. A consumer that made samples then saw the ends of batches too late
  // (-8 to -10 % of the rate).
  for (bool helped = true; helped && batches_.size() == 1 && Clock::now() < until;) {
    const std::shared_ptr<Job> making = batches_.front()->making;
    lock.unlock();
    helped = making && workers_->help(making);
    lock_brief(lock);
  }
}

bool Executor::wait_for(std::chrono::microseconds limit) {
  auto lock = lock_brief(mutex_);
  const auto start = Clock::now();
  const bool ready = await_next(lock, start + limit);
  stats_.consumer_waited += nanoseconds_since(start);
  return ready;
}

std::unique_ptr<BatchState> Executor::take() {
  auto lock = lock_brief(mutex_);
  PENSTOCK_CHECK(!batches_.empty(), ArgumentError,
                 "no batch was started; call schedule() first, and use a pipeline in one thread at a time");
  const auto start = Clock::now();
  await_next(lock, Clock::time_point::max());
  PENSTOCK_CHECK(
      batches_.front()->done, ArgumentError,
      "the batch is handed over to the thread that takes it: ask consumer_step() and call end_consumer_step() first");
  stats_.consumer_waited += nanoseconds_since(start);
  if (stats_.trace.enabled()) stats_.trace.add("wait for batch", start, Clock::now(), batches_.front()->iteration, -1);
  auto batch = std::move(batches_.front());
  batches_.pop_front();
  lock.unlock();
  offered_.drop_to(batch->iteration);
  return batch;
}

bool Executor::drop_all(Clock::time_point until) {
  offered_.drop_all();
  // Released without the mutex: memory may be a Python object's, whose release waits for the GIL, and the thread that
  // holds the GIL may wait for this mutex.
  std::deque<std::unique_ptr<BatchState>> dropped;
  std::unique_lock lock(mutex_);
  dropping_ = true;
  const auto ended = [&] { return running_ == at_consumer_ || workers_->is_of_parent(); };
  if (!changed_.wait_until(lock, until, ended)) return false;
  dropping_ = false;
  dropped.swap(batches_);
  running_ = at_consumer_ = 0;
  for (Turn& turn : turns_) turn.next = next_serial_;  // batches that were handed over never came to later steps
  return true;
}

int Executor::in_flight() const {
  const auto lock = lock_brief(mutex_);
  return static_cast<int>(batches_.size());
}

void Executor::start_step(BatchState& batch, size_t step) {
  if (step == plan_.steps.size()) {
    finish(batch);
  } else if (plan_.steps[step].batch) {
    start_batch_step(batch, step);
  } else {
    start_sample_step(batch, step);
  }
}

void Executor::tell() {
  ++news_;
  changed_.notify_all();
}

void Executor::submit_one(std::function<void()> run, std::function<void()> done, bool first) {
  auto job = std::make_shared<Job>();
  job->count = 1;
  job->first = first;
  job->node = node();
  job->run = [run = std::move(run)](int, int) { run(); };
  job->done = std::move(done);
  workers_->submit(std::move(job));
}

device::Stream Executor::stream_of(const BatchState& batch) const {
  return streams_[static_cast<size_t>(batch.serial) % streams_.size()].get();
}

std::vector<TensorList> Executor::outputs_of(const BatchState& batch) const {
  std::vector<TensorList> outputs;
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    const PlannedValue& value = plan_.values[static_cast<size_t>(plan_.outputs[i])];
    const TensorList& list = batch.lists[static_cast<size_t>(value.list)];
    if (i < batch.brought.size() && list.size() && batch.brought[i].size() == list.size())
      outputs.push_back(batch.brought[i]);  // of fewer samples some were left out later
    else if (plan_.gpu_outputs[i] && list.device() == kHostMemory)
      outputs.push_back(device::uploaded(list, *gpu_, stream_of(batch)));
    else
      outputs.push_back(list);
  }
  return outputs;
}

void Executor::finish(BatchState& batch) {
  try {
    if (!batch.batch_error) batch.outputs = outputs_of(batch);
  } catch (...) {
    fail_batch(batch);
  }
  stats_.batches.fetch_add(1, std::memory_order_relaxed);
  stats_.samples.fetch_add(batch.size(), std::memory_order_relaxed);
  batch.builders.clear();
  // Under the lock to the end: once it is free, the owner may take the batch and destroy this executor.
  const auto lock = lock_brief(mutex_);
  batch.done = true;
  --running_;
  tell();
}

}  // namespace penstock
