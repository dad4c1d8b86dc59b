#include <penstock/pipeline.h>

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>

#include "core/check.h"
#include "device/transfer.h"
#include "pipeline/chooser.h"
#include "pipeline/depth.h"
#include "pipeline/executor.h"
#include "pipeline/read_ahead.h"
#include "pipeline/run_state.h"
#include "pipeline/stats_json.h"

namespace penstock {
namespace {

PipelineOptions checked(const Graph& graph, PipelineOptions options) {
  PENSTOCK_CHECK(options.batch_size > 0, ArgumentError, "batch_size must be at least 1, got {}", options.batch_size);
  PENSTOCK_CHECK(options.multiprocessors >= 0, ArgumentError,
                 "multiprocessors must be 0, for all of the GPU's, or more, got {}", options.multiprocessors);
  PENSTOCK_CHECK(std::min(options.prefetch, options.prefetch_gpu) > 0, ArgumentError,
                 "the prefetch depth must be at least 1, got {} and, for a GPU, {}", options.prefetch,
                 options.prefetch_gpu);
  PENSTOCK_CHECK(options.num_threads >= 0, ArgumentError, "num_threads must not be negative, got {}",
                 options.num_threads);
  PENSTOCK_CHECK(!graph.outputs().empty(), ArgumentError, "the graph has no outputs; call set_outputs first");
  return options;
}

device::Device* gpu_of(const PipelineOptions& options) {
  return options.device_id == kHostMemory ? nullptr : &device::Device::open(options.device_id);
}

}  // namespace

class Pipeline::Impl {
 public:
  Impl(const Graph& graph, const PipelineOptions& options)
      : options_(checked(graph, options)),
        plan_(make_plan(graph, options_, gpu_of(options_))),
        chooser_(plan_, options_),
        executor_(plan_, options_, chooser_, gpu_of(options_)),
        read_ahead_(plan_, options_, chooser_, executor_.stats()) {
    PENSTOCK_CHECK(options_.on_error != OnError::kReplace || !plan_.readers.empty(), ArgumentError,
                   "on_error=\"replace\" needs a reader to replace from; use \"skip\" or \"zero\"");
    for (int n : plan_.externals) fed_[plan_.nodes[static_cast<size_t>(n)].asked.name];
  }

  void feed(const std::string& name, TensorList data) {
    const auto queue = fed_.find(name);
    PENSTOCK_CHECK(queue != fed_.end(), KeyError, "Could not find an input operator with name `{}`", name);
    PENSTOCK_CHECK(data.size() <= options_.batch_size, ArgumentError,
                   "`{}` was fed {} samples, more than the batch size of {}", name, data.size(), options_.batch_size);
    for (int n : plan_.externals) {
      const PlannedNode& node = plan_.nodes[static_cast<size_t>(n)];
      if (node.asked.name != name) continue;
      try {
        node.op->traits().fed->accept(data);
      } catch (Error& e) {
        e.add_context(node.context());
        throw;
      }
    }
    if (data.device() != kHostMemory && !serves(name, data.device())) data = device::downloaded(data);
    queue->second.push_back(std::move(data));
  }

  bool fed() const {
    for (const auto& [name, queue] : fed_)
      if (queue.empty()) return false;
    return true;
  }

  void schedule() {
    check_process();
    chooser_.orders();  // opened here: samples are chosen on any thread
    auto batch = new_batch(plan_, next_iteration_, options_.batch_size);
    take_fed(*batch);
    read_ahead_.follow(next_iteration_);
    ++next_iteration_;
    executor_.start(std::move(batch));
  }

  bool is_of_parent() const { return getpid() != process_; }

  bool wait_for(std::chrono::microseconds limit) {
    check_caller();
    return executor_.wait_for(limit);
  }

  Batch wait() {
    check_caller();
    const auto state = executor_.take();
    taken_ = state->iteration + 1;
    if (state->batch_error) std::rethrow_exception(state->batch_error);
    Batch batch;
    batch.iteration = state->iteration;
    batch.outputs = std::move(state->outputs);
    for (const SampleId& id : state->ids) batch.indices.push_back(id.picks.empty() ? -1 : id.picks[0].index);
    batch.valid = std::move(state->valid);
    return batch;
  }

  bool drop_for(std::chrono::milliseconds limit) {
    return is_of_parent() || executor_.drop_all(Clock::now() + limit);  // a child must not touch the parent's batches
  }

  void offer(int64_t iteration, size_t output, const OutputMemory& memory) {
    PENSTOCK_CHECK(output < plan_.outputs.size(), IndexError, "there are {} outputs, and none of number {}",
                   plan_.outputs.size(), output);
    PENSTOCK_CHECK(options_.device_id != kHostMemory, ArgumentError,
                   "memory can be offered to pipelines with a GPU; this one has no device_id");
    device::Pool& pool = device::Device::open(options_.device_id).memory();
    executor_.offer(iteration, output, pool.lent(memory.data, memory.bytes, memory.stream, memory.owner));
  }

  std::optional<ConsumerStep> consumer_step() {
    check_process();
    return executor_.consumer_step();
  }

  template <class Result>
  void end_consumer_step(Result result) {
    check_process();
    executor_.end_consumer_step(std::move(result));
  }

  Batch run() {
    while (in_flight() < depth() && (in_flight() == 0 || fed())) schedule();
    return wait();
  }

  int in_flight() const {
    check_process();
    return executor_.in_flight();
  }
  int depth() const { return depth_of(options_); }

  const std::vector<ReaderMeta>& readers() {
    if (meta_.empty())
      for (size_t r = 0; r < plan_.readers.size(); ++r)
        meta_.push_back(meta_of(plan_.nodes[static_cast<size_t>(plan_.readers[r])], chooser_.orders()[r]));
    for (ReaderMeta& meta : meta_) meta.first_iteration = chooser_.first_iteration();
    return meta_;
  }

  std::string explain() const { return penstock::explain(plan_, options_); }
  std::string stats() const { return stats_json(plan_, executor_.stats()); }
  void set_tracing(bool on) { executor_.stats().trace.set_enabled(on); }
  std::string trace() { return executor_.stats().trace.json(); }
  std::vector<Failure> failures() { return executor_.failures().all(); }

  std::string state(std::optional<int64_t> batches) {
    const int64_t iteration = batches.value_or(taken_);
    check_iteration(iteration);
    return save_run_state(plan_, options_, chooser_.orders(), chooser_.first_iteration(), iteration);
  }

  void load_state(const std::string& text) {
    check_process();
    RunState loaded = read_run_state(plan_, options_, chooser_.orders(), text);
    check_countable(loaded.iteration);
    read_ahead_.forget();
    executor_.drop_all();
    for (auto& [name, queue] : fed_) queue.clear();
    chooser_.start_at(loaded.iteration, std::move(loaded.progress));
    meta_.clear();
    next_iteration_ = taken_ = loaded.iteration;
  }

  void seek(int64_t iteration) {
    check_process();
    check_iteration(iteration);
    read_ahead_.forget();
    executor_.drop_all();
    for (auto& [name, queue] : fed_) queue.clear();
    next_iteration_ = taken_ = iteration;
  }

 private:
  void check_process() const {
    PENSTOCK_CHECK(!is_of_parent(), InternalError,
                   "this pipeline was made before a fork and its threads stayed in the parent; make it in the process "
                   "that uses it");
  }
  void check_iteration(int64_t iteration) const {
    PENSTOCK_CHECK(iteration >= chooser_.first_iteration(), ArgumentError,
                   "batch {} lies before batch {}, where this run {}; its samples are not known here", iteration,
                   chooser_.first_iteration(), chooser_.first_iteration() ? "was resumed" : "began");
    check_countable(iteration);
  }
  void check_countable(int64_t iteration) const {
    const int64_t last = (int64_t{1} << 62) / options_.batch_size;  // samples of a run are counted in 64 bits
    PENSTOCK_CHECK(iteration <= last, ArgumentError, "batch {} lies behind all that can be counted; the last one is {}",
                   iteration, last);
  }
  void check_caller() const {
    check_process();
    PENSTOCK_CHECK(!WorkerPool::on_worker(), ArgumentError,
                   "a function that a pipeline calls cannot run another pipeline: all workers could be waiting for "
                   "batches that no worker is left to make. Run it outside, and feed its batches to `external_source`");
  }
  /// Whether what lies in the memory of that GPU can stay there: the pipeline works on it, and the host reads nothing.
  bool serves(const std::string& name, int gpu) const {
    return gpu == options_.device_id && std::ranges::none_of(plan_.externals, [&](int n) {
             const PlannedNode& node = plan_.nodes[static_cast<size_t>(n)];
             return node.asked.name == name && host_needs(plan_, node.outputs[0]);
           });
  }
  /// Moves one fed batch of every external source into the batch, which gets as many samples.
  void take_fed(BatchState& batch) {
    std::string first;
    for (const auto& [name, queue] : fed_) {
      PENSTOCK_CHECK(!queue.empty(), ArgumentError, "external source `{}` has not been fed for batch {}", name,
                     next_iteration_);
      const int size = static_cast<int>(queue.front().size());
      PENSTOCK_CHECK(first.empty() || size == batch.samples, ArgumentError,
                     "external sources must be fed equal numbers of samples; `{}` has {}, `{}` has {}", first,
                     batch.samples, name, size);
      batch.samples = size;
      first = name;
    }
    for (int n : plan_.externals) {
      const PlannedNode& node = plan_.nodes[static_cast<size_t>(n)];
      batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(node.outputs[0])].list)] =
          fed_[node.asked.name].front();
    }
    for (auto& [name, queue] : fed_) queue.pop_front();
  }

  static ReaderMeta meta_of(const PlannedNode& node, const order::Spec& spec) {
    ReaderMeta meta;
    meta.name = node.asked.name;
    meta.epoch_size = meta.epoch_size_padded = spec.size;
    meta.num_shards = spec.num_shards;
    meta.shard = spec.shard;
    meta.pads = spec.epoch_end == order::EpochEnd::kRepeat;
    if (meta.pads) meta.epoch_size_padded = (spec.size + spec.num_shards - 1) / spec.num_shards * spec.num_shards;
    meta.sticks = spec.stick;
    meta.steps_per_epoch = order::steps_per_epoch(spec);
    meta.first_epoch = static_cast<int64_t>(spec.start.epoch);
    meta.steps_in_first_epoch = order::steps_in_first_epoch(spec);
    if (const auto given = node.asked.args.find("epoch_end"); given != node.asked.args.end())
      if (const auto* text = std::get_if<std::string>(&given->second)) meta.epoch_end = *text;
    return meta;
  }

  const pid_t process_ = getpid();
  const PipelineOptions options_;
  const Plan plan_;
  Chooser chooser_;
  Executor executor_;
  ReadAhead read_ahead_;
  std::map<std::string, std::deque<TensorList>> fed_;
  std::vector<ReaderMeta> meta_;
  int64_t next_iteration_ = 0, taken_ = 0;
};

Pipeline::Pipeline(const Graph& graph, const PipelineOptions& options)
    : impl_(std::make_unique<Impl>(graph, options)) {}
// In a process that was forked off, its locks may be held by threads that stayed with the parent, for ever.
Pipeline::~Pipeline() {
  if (impl_ && impl_->is_of_parent()) (void)impl_.release();
}
Pipeline::Pipeline(Pipeline&&) noexcept = default;

void Pipeline::feed(const std::string& name, TensorList data) { impl_->feed(name, std::move(data)); }
void Pipeline::schedule() { impl_->schedule(); }
Batch Pipeline::wait() { return impl_->wait(); }
bool Pipeline::wait_for(std::chrono::microseconds limit) const { return impl_->wait_for(limit); }
bool Pipeline::drop_for(std::chrono::milliseconds limit) { return impl_->drop_for(limit); }
void Pipeline::offer(int64_t iteration, size_t output, const OutputMemory& memory) {
  impl_->offer(iteration, output, memory);
}
std::optional<ConsumerStep> Pipeline::consumer_step() { return impl_->consumer_step(); }
void Pipeline::end_consumer_step(std::vector<TensorList> outputs) { impl_->end_consumer_step(std::move(outputs)); }
void Pipeline::end_consumer_step(std::exception_ptr error) { impl_->end_consumer_step(std::move(error)); }
Batch Pipeline::run() { return impl_->run(); }
int Pipeline::in_flight() const { return impl_->in_flight(); }
int Pipeline::depth() const { return impl_->depth(); }
const std::vector<ReaderMeta>& Pipeline::readers() const { return impl_->readers(); }
std::string Pipeline::explain() const { return impl_->explain(); }
std::string Pipeline::stats() const { return impl_->stats(); }
void Pipeline::set_tracing(bool on) { impl_->set_tracing(on); }
std::string Pipeline::trace() const { return impl_->trace(); }
std::vector<Failure> Pipeline::failures() const { return impl_->failures(); }
std::string Pipeline::state(std::optional<int64_t> batches) const { return impl_->state(batches); }
void Pipeline::load_state(const std::string& state) { impl_->load_state(state); }
void Pipeline::seek(int64_t iteration) { impl_->seek(iteration); }

}  // namespace penstock
