#include "pipeline/executor.h"

#include <algorithm>

#include "core/check.h"
#include "device/transfer.h"
#include "ops/generic/handover.h"

namespace penstock {
namespace {

// A worker should come back for more about this often: rarely enough that the queue's lock costs nothing, often enough
// that the last workers of a batch finish together.
constexpr int64_t kChunkNanoseconds = 50'000;
constexpr int kMaxChunk = 32;
// More bad samples in a row than this means the data set, not a file, is broken.
constexpr int kReplaceAttempts = 16;

/// Takes the samples that failed out of a batch whose step has just left them out of the lists it `made`.
void leave_out_failed(BatchState& batch, const std::vector<size_t>& made, const std::vector<int64_t>& good) {
  for (size_t list = 0; list < batch.lists.size(); ++list) {
    const bool shortened = std::find(made.begin(), made.end(), list) != made.end();
    if (!shortened && batch.lists[list].size()) batch.lists[list] = batch.lists[list].select(good);
  }
  std::vector<SampleId> ids;
  std::vector<uint8_t> valid;
  for (int64_t i : good) {
    ids.push_back(batch.ids[static_cast<size_t>(i)]);
    valid.push_back(batch.valid[static_cast<size_t>(i)]);
  }
  batch.ids = std::move(ids);
  batch.valid = std::move(valid);
  batch.errors.assign(good.size(), nullptr);
}

std::exception_ptr as_internal_error(const std::exception& e) {
  return std::make_exception_ptr(InternalError(e.what()));
}

}  // namespace

Executor::Executor(const Plan& plan, const PipelineOptions& options)
    : plan_(plan), options_(options), stats_(plan.nodes.size()), ragged_(static_cast<size_t>(plan.num_lists)) {
  idle_tasks_.resize(plan.steps.size());
  turns_.resize(plan.steps.size());
  if (options.device_id == kHostMemory) return;
  gpu_ = &device::Device::open(options.device_id);
  for (std::shared_ptr<void>& stream : streams_) stream = gpu_->borrow_stream();
}

Executor::~Executor() { drop_all(); }

void Executor::start(std::unique_ptr<BatchState> batch) {
  BatchState& started = *batch;
  started.errors.resize(started.ids.size());
  {
    std::lock_guard lock(mutex_);
    started.serial = next_serial_++;
    batches_.push_back(std::move(batch));
    ++running_;
  }
  start_step(started, 0);
}

bool Executor::wait_for(std::chrono::milliseconds limit) const {
  std::unique_lock lock(mutex_);
  const auto start = Clock::now();
  const bool ready = changed_.wait_for(
      lock, limit, [&] { return batches_.empty() || batches_.front()->done || batches_.front()->handed_over >= 0; });
  stats_.consumer_waited += nanoseconds_since(start);
  return ready;
}

std::unique_ptr<BatchState> Executor::take() {
  let_failed_go_on();
  std::unique_lock lock(mutex_);
  PENSTOCK_CHECK(!batches_.empty(), EndOfData, "no batch was started; call schedule() first");
  const auto start = Clock::now();
  changed_.wait(lock, [&] { return batches_.front()->done || batches_.front()->handed_over >= 0; });
  PENSTOCK_CHECK(batches_.front()->done, ArgumentError,
                 "the batch is handed over to the one who takes it: ask handed_over() and call hand_back() first");
  stats_.consumer_waited += nanoseconds_since(start);
  if (stats_.trace.enabled()) stats_.trace.add("wait for batch", start, Clock::now(), batches_.front()->iteration, -1);
  auto batch = std::move(batches_.front());
  batches_.pop_front();
  return batch;
}

void Executor::drop_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return running_ == handed_over_ || workers_->is_of_parent(); });
  batches_.clear();
  running_ = handed_over_ = 0;
  for (Turn& turn : turns_) turn.next = next_serial_;  // batches that were handed over never came to later steps
}

int Executor::in_flight() const {
  std::lock_guard lock(mutex_);
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

void Executor::start_sample_step(BatchState& batch, size_t step) {
  if (batch.batch_error || batch.size() == 0) return finish_sample_step(batch, step);
  batch.builders.resize(static_cast<size_t>(plan_.num_lists));
  for (int v : plan_.steps[step].makes) {
    const auto list = static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list);
    batch.builders[list] = std::make_unique<ListBuilder>(allocator_for(v), batch.size(), ragged_[list]);
  }
  if (!plan_.steps[step].gpu_values.empty())
    batch.gpu = std::make_unique<GpuWork>(plan_, plan_.steps[step], *gpu_, stream_of(batch), batch.size());
  auto job = std::make_shared<Job>();
  job->count = batch.size();
  job->chunk = chunk_for(batch.size());
  job->max_workers = options_.num_threads;
  job->run = [this, &batch, step](int begin, int end) { run_samples(batch, step, begin, end); };
  job->done = [this, &batch, step] { finish_sample_step(batch, step); };
  workers_->submit(std::move(job));
}

ListBuilder::Allocate Executor::allocator_for(int value) const {
  for (size_t i = 0; i < plan_.outputs.size(); ++i)
    if (plan_.outputs[i] == value && plan_.gpu_outputs[i])
      return [this](size_t bytes) { return gpu_->pinned().allocate(bytes, nullptr); };
  return [this](size_t bytes) { return memory_->allocate(bytes); };
}

device::Stream Executor::stream_of(const BatchState& batch) const {
  return streams_[static_cast<size_t>(batch.serial) % streams_.size()].get();
}

int Executor::chunk_for(int samples) const {
  int64_t total = 0, timed = 0;
  for (const auto& node : stats_.per_node) {
    total += node.nanoseconds.load(std::memory_order_relaxed);
    timed = std::max(timed, node.samples.load(std::memory_order_relaxed));
  }
  if (timed == 0) return 1;
  const int64_t fit = kChunkNanoseconds / std::max<int64_t>(1, total / timed);
  const int share = std::max(1, samples / (4 * workers_->threads()));
  return static_cast<int>(std::clamp<int64_t>(fit, 1, std::min(share, kMaxChunk)));
}

void Executor::run_samples(BatchState& batch, size_t step, int begin, int end) {
  auto task = borrow_task(step);
  for (int i = begin; i < end; ++i) {
    if (i + 1 < end) task->prefetch(batch, static_cast<size_t>(i + 1));
    make_sample(*task, batch, step, static_cast<size_t>(i));
  }
  give_back_task(step, std::move(task));
}

void Executor::make_sample(SampleTask& task, BatchState& batch, size_t step, size_t slot) {
  // What earlier steps made of a sample cannot be taken back, so only the first step replaces.
  const int attempts = options_.on_error == OnError::kReplace && step == 0 && replace_ ? kReplaceAttempts : 0;
  for (int attempt = 0;; ++attempt) {
    try {
      return task.run(batch, slot);
    } catch (const Error& e) {
      failures_.add(batch.ids[slot], e);
      batch.errors[slot] = std::current_exception();
    } catch (const std::exception& e) {
      failures_.add(batch.ids[slot], InternalError(e.what()));
      batch.errors[slot] = as_internal_error(e);
    }
    stats_.failures.fetch_add(1, std::memory_order_relaxed);
    if (attempt == attempts) return;
    replace_(batch, slot, attempt);
    batch.errors[slot] = nullptr;
  }
}

void Executor::finish_sample_step(BatchState& batch, size_t step) {
  if (!batch.batch_error && batch.gpu) {
    try {
      const std::vector<int64_t> good = good_slots(batch);
      if (!good.empty()) batch.gpu->launch(good, good.size() < batch.errors.size() && zeroes(), batch.lists);
      if (!good.empty() && batch.gpu->may_refuse())
        return batch.gpu->when_done(
            [this, &batch, step] { submit_one([] {}, [this, &batch, step] { look_at_refusals(batch, step); }); });
    } catch (...) {
      batch.batch_error = std::current_exception();
    }
  }
  settle_step(batch, step);
}

void Executor::look_at_refusals(BatchState& batch, size_t step) {
  bool any = false;
  batch.refused.resize(batch.ids.size());
  for (size_t slot = 0; slot < batch.ids.size(); ++slot) {
    if (!batch.gpu->refused(slot)) continue;
    batch.refused[slot] = 1;
    any = true;
  }
  if (!any) return settle_step(batch, step);
  std::fill(batch.errors.begin(), batch.errors.end(), nullptr);
  start_sample_step(batch, step);
}

void Executor::settle_step(BatchState& batch, size_t step) {
  if (!batch.batch_error) {
    try {
      settle_samples(batch, plan_.steps[step]);
    } catch (...) {
      batch.batch_error = std::current_exception();
    }
  }
  batch.gpu.reset();
  batch.refused.clear();
  start_step(batch, step + 1);
}

std::vector<int64_t> Executor::good_slots(const BatchState& batch) const {
  std::vector<int64_t> good;
  for (size_t i = 0; i < batch.errors.size(); ++i)
    if (!batch.errors[i]) good.push_back(static_cast<int64_t>(i));
  const bool treated = options_.on_error == OnError::kSkip || (zeroes() && !good.empty());
  if (!treated)
    for (const std::exception_ptr& error : batch.errors)
      if (error) std::rethrow_exception(error);
  return good;
}

void Executor::settle_samples(BatchState& batch, const PlannedStep& step) {
  const std::vector<int64_t> good = good_slots(batch);
  const bool failed = good.size() < batch.errors.size();
  std::vector<size_t> made;
  for (int v : step.makes) {
    const size_t list = made.emplace_back(plan_.values[static_cast<size_t>(v)].list);
    if (batch.size() == 0) continue;
    ListBuilder& builder = *batch.builders[list];
    for (size_t i = 0; failed && zeroes() && i < batch.errors.size(); ++i)
      if (batch.errors[i]) builder.set_zero(i, static_cast<size_t>(good[0]));
    batch.lists[list] = builder.finish();
    ragged_[list] = builder.ragged();
  }
  for (int v : step.gpu_values)
    if (batch.gpu && !good.empty() && plan_.values[static_cast<size_t>(v)].list >= 0)
      made.push_back(static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list));
  for (size_t i = 0; failed && zeroes() && i < batch.errors.size(); ++i)
    if (batch.errors[i]) batch.valid[i] = 0, batch.errors[i] = nullptr;
  if (failed && !zeroes()) leave_out_failed(batch, made, good);
}

void Executor::start_batch_step(BatchState& batch, size_t step) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  if (dynamic_cast<const HandsOver*>(node.batch_op)) return wait_to_be_taken(batch, step);
  if (node.batch_op->serial()) {
    std::lock_guard lock(mutex_);
    if (turns_[step].next != batch.serial) {
      turns_[step].waiting[batch.serial] = &batch;
      return;
    }
  }
  submit_one([this, &batch, step] { run_batch_operator(batch, step); },
             [this, &batch, step] {
               pass_turn(step);
               start_step(batch, step + 1);
             });
}

void Executor::submit_one(std::function<void()> run, std::function<void()> done) {
  auto job = std::make_shared<Job>();
  job->count = 1;
  job->run = [run = std::move(run)](int, int) { run(); };
  job->done = std::move(done);
  workers_->submit(std::move(job));
}

void Executor::run_batch_operator(BatchState& batch, size_t step) {
  if (batch.batch_error) return;
  const auto index = static_cast<size_t>(plan_.steps[step].node);
  const PlannedNode& node = plan_.nodes[index];
  BatchContext context = context_of(batch, node);
  const auto start = Clock::now();
  try {
    node.batch_op->run(context);
    keep_outputs(batch, node, std::move(context.outputs));
  } catch (Error& e) {
    e.add_context(node.context());
    batch.batch_error = std::current_exception();
  } catch (const std::exception&) {
    batch.batch_error = std::current_exception();
  }
  stats_.per_node[index].nanoseconds += nanoseconds_since(start);
  stats_.per_node[index].samples += batch.size();
  if (stats_.trace.enabled()) stats_.trace.add(node.asked.op, start, Clock::now(), batch.iteration, -1);
}

BatchContext Executor::context_of(BatchState& batch, const PlannedNode& node) const {
  const auto list = [&](int v) { return &batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list)]; };
  BatchContext context{.iteration = batch.iteration, .ids = batch.ids};
  for (int v : node.inputs) context.inputs.push_back(list(v));
  for (int v : node.arg_inputs) context.arg_inputs.push_back(list(v));
  context.outputs.resize(node.outputs.size());
  return context;
}

void Executor::keep_outputs(BatchState& batch, const PlannedNode& node, std::vector<TensorList> outputs) const {
  PENSTOCK_CHECK(outputs.size() == node.outputs.size(), DataError, "there are {} outputs where {} were said",
                 outputs.size(), node.outputs.size());
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    PENSTOCK_CHECK(outputs[i].size() == batch.size(), DataError,
                   "output {} has {} samples, the current batch size is {}", i, outputs[i].size(), batch.size());
    batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(node.outputs[i])].list)] = std::move(outputs[i]);
  }
}

void Executor::wait_to_be_taken(BatchState& batch, size_t step) {
  std::lock_guard lock(mutex_);
  batch.handed_over = static_cast<int>(step);
  ++handed_over_;
  changed_.notify_all();
}

void Executor::let_failed_go_on() {
  {
    std::lock_guard lock(mutex_);
    if (batches_.empty() || batches_.front()->handed_over < 0 || !batches_.front()->batch_error) return;
  }
  const auto [batch, step] = go_on();
  start_step(*batch, step + 1);
}

std::optional<Handover> Executor::handed_over() {
  let_failed_go_on();
  std::lock_guard lock(mutex_);
  if (batches_.empty() || batches_.front()->handed_over < 0) return {};
  BatchState& batch = *batches_.front();
  const int index = plan_.steps[static_cast<size_t>(batch.handed_over)].node;
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(index)];
  Handover made{
      .number = dynamic_cast<const HandsOver&>(*node.batch_op).number(), .samples = batch.size(), .inputs = {}};
  for (const TensorList* input : context_of(batch, node).inputs) made.inputs.push_back(*input);
  return made;
}

std::pair<BatchState*, size_t> Executor::go_on() {
  std::lock_guard lock(mutex_);
  PENSTOCK_CHECK(!batches_.empty() && batches_.front()->handed_over >= 0, ArgumentError, "no batch is handed over");
  BatchState& batch = *batches_.front();
  const auto step = static_cast<size_t>(std::exchange(batch.handed_over, -1));
  --handed_over_;
  return {&batch, step};
}

void Executor::hand_back(std::vector<TensorList> outputs) {
  const auto [batch, step] = go_on();
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  try {
    keep_outputs(*batch, node, std::move(outputs));
  } catch (Error& e) {
    e.add_context(node.context());
    batch->batch_error = std::current_exception();
  }
  start_step(*batch, step + 1);
}

void Executor::hand_back(std::exception_ptr error) {
  const auto [batch, step] = go_on();
  batch->batch_error = std::move(error);
  start_step(*batch, step + 1);
}

void Executor::pass_turn(size_t step) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  if (!node.batch_op->serial()) return;
  BatchState* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    Turn& turn = turns_[step];
    ++turn.next;
    if (const auto found = turn.waiting.find(turn.next); found != turn.waiting.end()) {
      next = found->second;
      turn.waiting.erase(found);
    }
  }
  if (next) start_batch_step(*next, step);
}

void Executor::upload_outputs(BatchState& batch) {
  for (size_t i = 0; i < plan_.outputs.size(); ++i) {
    if (!plan_.gpu_outputs[i]) continue;
    TensorList& list = batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(plan_.outputs[i])].list)];
    batch.gpu_lists.push_back(list.device() == kHostMemory ? device::uploaded(list, *gpu_, stream_of(batch)) : list);
  }
}

void Executor::finish(BatchState& batch) {
  try {
    if (!batch.batch_error) upload_outputs(batch);
  } catch (...) {
    batch.batch_error = std::current_exception();
  }
  stats_.batches.fetch_add(1, std::memory_order_relaxed);
  stats_.samples.fetch_add(batch.size(), std::memory_order_relaxed);
  batch.builders.clear();
  // Under the lock to the end: once it is free, the owner may take the batch and destroy this executor.
  std::lock_guard lock(mutex_);
  batch.done = true;
  --running_;
  changed_.notify_all();
}

std::unique_ptr<SampleTask> Executor::borrow_task(size_t step) {
  {
    std::lock_guard lock(mutex_);
    if (!idle_tasks_[step].empty()) {
      auto task = std::move(idle_tasks_[step].back());
      idle_tasks_[step].pop_back();
      return task;
    }
  }
  return std::make_unique<SampleTask>(plan_, plan_.steps[step], options_.push_regions, stats_);
}

void Executor::give_back_task(size_t step, std::unique_ptr<SampleTask> task) {
  std::lock_guard lock(mutex_);
  idle_tasks_[step].push_back(std::move(task));
}

}  // namespace penstock
