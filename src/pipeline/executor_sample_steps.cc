// Sample steps: samples in chunks on whatever workers are free, then what became of them as lists.
#include <algorithm>
#include <thread>

#include <penstock/gpu.h>

#include "core/brief_lock.h"
#include "core/check.h"
#include "core/out_of_memory.h"
#include "pipeline/executor.h"

namespace penstock {
namespace {

// A consumer looks for that long whether the GPU is done, where the batch before this took no longer.
constexpr int64_t kSoon = 1'000'000;
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

}  // namespace

void Executor::start_sample_step(BatchState& batch, size_t step) {
  if (batch.batch_error || batch.size() == 0) return finish_sample_step(batch, step);
  try {
    make_room(batch, step);
  } catch (...) {
    fail_batch(batch);
    return finish_sample_step(batch, step);
  }
  auto job = std::make_shared<Job>();
  job->count = batch.size();
  const Sharing sharing = sharing_of(batch);
  job->chunk = sharing.chunk;
  job->workers = sharing.workers;
  job->limit = limit_;
  job->node = node();
  job->run = [this, &batch, step](int begin, int end) { run_samples(batch, step, begin, end); };
  job->done = [this, &batch, step] { finish_sample_step(batch, step); };
  {
    const auto lock = lock_brief(mutex_);
    batch.making = job;
  }
  workers_->submit(std::move(job));
}

void Executor::make_room(BatchState& batch, size_t step) const {
  batch.builders.resize(static_cast<size_t>(plan_.num_lists));
  batch.selections.assign(static_cast<size_t>(batch.size()) * plan_.steps[step].selections.size(), {});
  for (int v : plan_.steps[step].makes) {
    const auto list = static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list);
    batch.builders[list] = std::make_unique<ListBuilder>(allocator_for(v), batch.size(), ragged_[list]);
  }
  if (!plan_.steps[step].gpu_values.empty())
    batch.gpu = std::make_unique<GpuWork>(plan_, plan_.steps[step], batch.lists, *gpu_, stream_of(batch),
                                          static_cast<size_t>(batch.size()), staged_.expected());
}

ListBuilder::Allocate Executor::allocator_for(int value) const {
  for (size_t i = 0; i < plan_.outputs.size(); ++i)
    if (plan_.outputs[i] == value && plan_.gpu_outputs[i])
      return [this](size_t bytes) { return gpu_->pinned().allocate(bytes, nullptr); };
  return [this](size_t bytes) { return memory_->allocate(bytes); };
}

Sharing Executor::sharing_of(const BatchState& batch) {
  int64_t total = 0, timed = 0;
  for (size_t i = 0; i < plan_.nodes.size(); ++i) {
    if (plan_.nodes[i].batch_op) continue;  // that takes a worker once
    const auto& node = stats_.per_node[i];
    total += node.nanoseconds.load(std::memory_order_relaxed);
    timed = std::max(timed, node.samples.load(std::memory_order_relaxed));
  }
  return share(batch.size(), pace_.update(total, timed), limit_ ? limit_->most : workers_->threads(), is_spare(batch));
}

bool Executor::is_spare(const BatchState& batch) const {
  // With fewer in the making a GPU waits for batches that two or three workers make: by a model 10 to 43 % of the rate
  // with three, 8 to 30 with four, 0 to 4 with five.
  constexpr size_t kEnough = 5;
  const auto lock = lock_brief(mutex_);
  return gpu_ && batches_.size() >= kEnough && batches_.front().get() != &batch;
}

void Executor::run_samples(BatchState& batch, size_t step, int begin, int end) {
  std::unique_ptr<SampleTask> task;
  try {
    task = borrow_task(step);
  } catch (...) {
    return fail_batch(batch);
  }
  task->begin(batch);
  for (int i = begin; i < end; ++i) {
    if (i + 1 < end) task->prefetch(batch, static_cast<size_t>(i + 1), static_cast<size_t>(std::min(i + 2, end - 1)));
    make_sample(*task, batch, step, static_cast<size_t>(i));
  }
  give_back_task(step, std::move(task));
}

void Executor::make_sample(SampleTask& task, BatchState& batch, size_t step, size_t slot) {
  if (batch.errors[slot]) return;  // found when the step was done before, see look_at_refusals()
  // What earlier steps made of a sample cannot be taken back, so only the first step replaces.
  const int attempts = options_.on_error == OnError::kReplace && step == 0 ? kReplaceAttempts : 0;
  for (int& attempt = batch.attempts[slot];; ++attempt) {
    try {
      if (dropping_) return end_batch(batch, dropped());
      return task.run(batch, slot);
    } catch (const PoolExhausted&) {
      return fail_batch(batch);
    } catch (const device::GpuError&) {
      return fail_batch(batch);
    } catch (const Error& e) {
      failures_.add(batch.ids[slot], e, task.failed_source());
      batch.errors[slot] = std::current_exception();
    }
    stats_.failures.fetch_add(1, std::memory_order_relaxed);
    if (attempt >= attempts) return;
    chooser_.replace(batch, slot, attempt);
    if (!batch.refused.empty()) batch.refused[slot].clear();  // that was another sample
    batch.errors[slot] = nullptr;
  }
}

void Executor::fail_batch(BatchState& batch, const PlannedNode* at) { end_batch(batch, batch_error_of(batch, at)); }

void Executor::end_batch(BatchState& batch, const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (!batch.batch_error) batch.batch_error = error;
}

std::exception_ptr Executor::batch_error_of(const BatchState& batch, const PlannedNode* at) const {
  const auto in_operator = [at](auto&& error) {
    if (at) error.add_context(at->context());
    return std::make_exception_ptr(error);
  };
  const auto seen_at = [&batch](const std::string& place) {
    return fmt::format("seen in batch {} at {}", batch.iteration, place);
  };
  try {
    throw;
  } catch (const device::Lost& e) {
    const std::string place = at ? at->label() : batch.gpu ? batch.gpu->operators() : "no operator's work";
    return std::make_exception_ptr(DeviceLost(fmt::format(
        "GPU {} is lost: {}; {}. A kernel that ran in this process, of Penstock or of another library, broke "
        "the GPU's context, and nothing brings it back: restart the process. CUDA_LAUNCH_BLOCKING=1 or "
        "compute-sanitizer tell which kernel it was",
        gpu_->id(), e.what(), seen_at(place))));
  } catch (const device::Full& e) {
    return in_operator(OutOfMemory(e.what()));
  } catch (const std::bad_alloc&) {
    return in_operator(OutOfMemory(
        fmt::format("the system has no memory for a batch of {} samples; use a smaller batch_size", batch.samples)));
  } catch (Error& e) {
    if (at) e.add_context(at->context());
    return std::current_exception();
  } catch (const std::exception& e) {
    if (at || !batch.gpu) return in_operator(InternalError(e.what()));
    return std::make_exception_ptr(InternalError(fmt::format("{}; {}", e.what(), seen_at(batch.gpu->operators()))));
  }
}

/// What branches give for a variable is one batch, so it has one type and one rank.
void Executor::check_selections(BatchState& batch, const PlannedStep& step) {
  const size_t count = step.selections.size();
  for (size_t i = 0; i < count && !batch.batch_error; ++i) {
    std::optional<SelectedKind> first;
    for (size_t at = i; at < batch.selections.size(); at += count) {
      const SelectedKind& kind = batch.selections[at];
      if (kind.dtype == DType::kNone) continue;
      if (!first) first = kind;
      if (kind == *first) continue;
      DataError error(
          fmt::format("Divergent data found in different branches of a conditional operation: {} of {} dimensions and "
                      "{} of {}. What branches give becomes one batch, which has one type and one number of dimensions",
                      name_of(first->dtype), first->ndim, name_of(kind.dtype), kind.ndim));
      const PlannedValue& output = plan_.values[static_cast<size_t>(step.selections[i])];
      error.add_context(plan_.nodes[static_cast<size_t>(output.node)].context());
      return end_batch(batch, std::make_exception_ptr(error));
    }
  }
}

void Executor::finish_sample_step(BatchState& batch, size_t step) {
  check_selections(batch, plan_.steps[step]);
  const auto go_on = [this, &batch, step] { go_on_soon([this, &batch, step] { finish_on_gpu(batch, step); }); };
  if (!batch.gpu || batch.gpu->ready_or(go_on)) finish_on_gpu(batch, step);
}

void Executor::finish_on_gpu(BatchState& batch, size_t step) {
  if (!batch.batch_error && batch.gpu) {
    try {
      const std::vector<int64_t> good = good_slots(batch);
      if (batch.offered.empty()) batch.offered = offered_.take(batch.iteration);
      bring_outputs(batch, step);
      staged_.saw(batch.gpu->staging().bytes());
      if (!good.empty())
        batch.gpu->launch(good, good.size() < batch.errors.size() && zeroes(), batch.lists, batch.offered);
      if (!good.empty() && batch.gpu->is_awaited()) return await_gpu(batch, step);
    } catch (...) {
      fail_batch(batch);
    }
  }
  settle_step(batch, step);
}

void Executor::bring_outputs(BatchState& batch, size_t step) const {
  const std::vector<int>& makes = plan_.steps[step].makes;
  batch.brought.resize(batch.offered.size());
  for (size_t i = 0; i < batch.offered.size(); ++i) {
    if (!batch.offered[i].data || batch.brought[i].size()) continue;
    const int value = plan_.outputs[i];
    const auto list = static_cast<size_t>(plan_.values[static_cast<size_t>(value)].list);
    const bool new_here = std::ranges::find(makes, value) != makes.end();
    const TensorList made = new_here ? batch.builders[list]->finish() : batch.lists[list];
    if (made.size() != batch.size() || !batch.gpu->bring(made, batch.offered[i])) continue;
    batch.brought[i] = TensorList(batch.offered[i], made.size(), made[0]);
    batch.brought[i].set_sources(made.sources());
  }
}

void Executor::await_gpu(BatchState& batch, size_t step) {
  const auto began = Clock::now();
  const device::Stream stream = stream_of(batch);
  const device::Mark mark = batch.gpu->mark();
  const auto end = std::make_shared<GpuEnd>([this, &batch, step, began](const std::exception_ptr& lost) {
    const int64_t awaited = nanoseconds_since(began);
    gpu_nanoseconds_ = awaited;
    stats_.gpu_awaited += awaited;
    look_at_refusals(batch, step, lost);
  });
  if (gpu_nanoseconds_ < kSoon) {
    const auto lock = lock_brief(mutex_);
    batch.gpu_watch = GpuWatch{end, mark, began + std::chrono::nanoseconds(kSoon)};
    tell();
  }
  // From here on the batch may be gone at any time.
  try {
    gpu_->ends().await(stream, mark, [this, end](const std::exception_ptr& lost) {
      if (end->claim()) go_on_soon([end, lost] { end->go_on(lost); });
    });
  } catch (...) {
    if (!end->claim()) return;
    fail_batch(batch);
    settle_step(batch, step);
  }
}

void Executor::watch(const GpuWatch& watched, Clock::time_point until) {
  until = std::min(until, watched.until);
  while (!watched.mark.set()) {
    if (Clock::now() >= until) return;
    std::this_thread::yield();
  }
  if (watched.end->claim()) watched.end->go_on(nullptr);
}

void Executor::look_at_refusals(BatchState& batch, size_t step, const std::exception_ptr& lost) {
  if (lost) {
    try {
      std::rethrow_exception(lost);
    } catch (...) {
      fail_batch(batch);
    }
    return settle_step(batch, step);
  }
  batch.gpu->done();
  bool any = false;
  batch.refused.resize(batch.ids.size());
  std::vector<bool> found(batch.ids.size());
  batch.gpu->for_each_refused([&](int node, size_t slot) {
    // Only the first of a sample: what comes behind it had nothing but garbage, and may refuse that.
    if (found[slot] || batch.was_refused(node, slot)) return;
    batch.refused[slot].push_back(node);
    found[slot] = any = true;
  });
  if (!any) return settle_step(batch, step);
  batch.brought.clear();
  batch.gpu.reset();  // all of it is done: should room for the next one be short, nothing is left to be waited for
  start_sample_step(batch, step);
}

void Executor::settle_step(BatchState& batch, size_t step) {
  if (!batch.batch_error) {
    try {
      settle_samples(batch, plan_.steps[step]);
    } catch (...) {
      fail_batch(batch);
    }
  }
  batch.gpu.reset();
  batch.refused.clear();
  std::ranges::fill(batch.attempts, 0);  // they were this step's
  start_step(batch, step + 1);
}

std::vector<int64_t> Executor::good_slots(const BatchState& batch) const {
  std::vector<int64_t> good;
  for (size_t i = 0; i < batch.errors.size(); ++i)
    if (!batch.errors[i]) good.push_back(static_cast<int64_t>(i));
  const bool treated = options_.on_error == OnError::kSkip || (zeroes() && !good.empty());
  for (size_t slot = 0; slot < batch.errors.size() && !treated; ++slot)
    if (batch.errors[slot]) raise_untreated(batch, slot);
  return good;
}

void Executor::raise_untreated(const BatchState& batch, size_t slot) const {
  if (options_.on_error == OnError::kRaise) std::rethrow_exception(batch.errors[slot]);
  std::string why = "zeros take the shape of a sample that is fine, and of this batch none is";
  if (options_.on_error == OnError::kReplace)
    why = batch.attempts[slot] > 0
              ? fmt::format("{} other samples were tried in its place, and none was fine", batch.attempts[slot])
              : "a sample cannot be replaced behind an operator that takes whole batches";
  try {
    std::rethrow_exception(batch.errors[slot]);
  } catch (const std::exception& e) {
    fail<DataError>("{}\n  on_error=\"{}\" does not help: {}; \"skip\" leaves it out", e.what(),
                    zeroes() ? "zero" : "replace", why);
  }
}

void Executor::settle_samples(BatchState& batch, const PlannedStep& step) {
  const std::vector<int64_t> good = good_slots(batch);
  const bool failed = good.size() < batch.errors.size(), zeroed = failed && zeroes();
  std::vector<size_t> made;
  for (int v : step.makes) {
    const size_t list = made.emplace_back(plan_.values[static_cast<size_t>(v)].list);
    if (batch.size() == 0) continue;
    ListBuilder& builder = *batch.builders[list];
    for (size_t i = 0; zeroed && i < batch.errors.size(); ++i)
      if (batch.errors[i]) builder.set_zero(i);
    batch.lists[list] = builder.finish();
    ragged_[list] = builder.ragged();
  }
  for (int v : step.gpu_values)
    if (batch.gpu && !good.empty() && plan_.values[static_cast<size_t>(v)].list >= 0 && made_on_gpu(plan_, v, step))
      made.push_back(static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list));
  for (size_t i = 0; zeroed && i < batch.errors.size(); ++i)
    if (batch.errors[i]) batch.valid[i] = 0, batch.errors[i] = nullptr;
  if (failed && !zeroed) leave_out_failed(batch, made, good);
}

std::unique_ptr<SampleTask> Executor::borrow_task(size_t step) {
  {
    const auto lock = lock_brief(mutex_);
    if (!idle_tasks_[step].empty()) {
      auto task = std::move(idle_tasks_[step].back());
      idle_tasks_[step].pop_back();
      return task;
    }
  }
  return std::make_unique<SampleTask>(plan_, plan_.steps[step], options_.push_regions, stats_);
}

void Executor::give_back_task(size_t step, std::unique_ptr<SampleTask> task) {
  const auto lock = lock_brief(mutex_);
  idle_tasks_[step].push_back(std::move(task));
}

}  // namespace penstock
