// Batch steps: one operator with all samples at once. Serial ones see the batches in order; one that hands over lets a
// batch stand until the thread that takes it has made the outputs.
#include <penstock/gpu.h>

#include "core/check.h"
#include "device/transfer.h"
#include "ops/host/callback.h"
#include "pipeline/executor.h"

namespace penstock {

void Executor::start_batch_step(BatchState& batch, size_t step) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  if (node.op->traits().consumer_step) return wait_to_be_taken(batch, step);
  if (node.op->traits().serial) {
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

void Executor::run_batch_operator(BatchState& batch, size_t step) {
  if (dropping_) end_batch(batch, dropped());
  if (batch.batch_error) return;
  const auto index = static_cast<size_t>(plan_.steps[step].node);
  const PlannedNode& node = plan_.nodes[index];
  const auto start = Clock::now();
  int64_t samples = 0;
  try {
    Part part = part_for(batch, node);
    samples = static_cast<int64_t>(part.slots.size());
    if (samples == 0)
      ;  // there is nothing to make, and nothing to make it of
    else if (node.batch_form)
      run_on_gpu(batch, node, part.context);
    else
      node.batch_op->run(part.context);
    keep_outputs(batch, node, part, std::move(part.context.outputs));
  } catch (...) {
    fail_batch(batch, &node);
  }
  stats_.per_node[index].nanoseconds += nanoseconds_since(start);
  stats_.per_node[index].samples += samples;
  if (stats_.trace.enabled()) stats_.trace.add(node.asked.op, start, Clock::now(), batch.iteration, -1);
}

void Executor::run_on_gpu(const BatchState& batch, const PlannedNode& node, BatchContext& context) {
  const device::Stream stream = stream_of(batch);
  std::vector<TensorList> there;
  for (const TensorList* input : context.inputs)
    there.push_back(input->device() == kHostMemory ? device::uploaded(*input, *gpu_, stream) : *input);
  for (size_t i = 0; i < there.size(); ++i) context.inputs[i] = &there[i];
  for (const TensorList& input : there) read_on(input, stream);
  node.batch_form->run(context, *gpu_, stream);
}

Executor::Part Executor::part_for(const BatchState& batch, const PlannedNode& node) const {
  const auto list = [&](int v) -> const TensorList& {
    return batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list)];
  };
  Part part;
  for (int64_t slot = 0; slot < batch.size(); ++slot)
    if (node.when < 0 || *list(node.when)[slot].data != std::byte{}) part.slots.push_back(slot);
  const bool all = part.slots.size() == batch.ids.size();
  if (!all)
    for (int64_t slot : part.slots) part.ids.push_back(batch.ids[static_cast<size_t>(slot)]);
  part.context = {.iteration = batch.iteration, .ids = all ? batch.ids : part.ids};
  const auto of_part = [&](int v) -> const TensorList* {
    if (all) return &list(v);
    return &part.lists.emplace_back(part.slots.empty() ? TensorList() : list(v).select(part.slots));
  };
  for (int v : node.inputs) part.context.inputs.push_back(of_part(v));
  for (int v : node.arg_inputs) part.context.arg_inputs.push_back(of_part(v));
  part.context.outputs.resize(node.outputs.size());
  return part;
}

void Executor::keep_outputs(BatchState& batch, const PlannedNode& node, const Part& part,
                            std::vector<TensorList> outputs) const {
  PENSTOCK_CHECK(outputs.size() == node.outputs.size(), DataError, "there are {} outputs where {} were said",
                 outputs.size(), node.outputs.size());
  const bool all = part.slots.size() == batch.ids.size();
  std::vector<int64_t> where(batch.ids.size());  // samples of other branches are not read: any will do
  for (size_t k = 0; k < part.slots.size(); ++k) where[static_cast<size_t>(part.slots[k])] = static_cast<int64_t>(k);
  for (size_t i = 0; i < outputs.size(); ++i) {
    PENSTOCK_CHECK(outputs[i].size() == static_cast<int64_t>(part.slots.size()), DataError,
                   "output {} has {} samples, the current batch size is {}", i, outputs[i].size(), part.slots.size());
    TensorList& list = batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(node.outputs[i])].list)];
    list = all || part.slots.empty() ? std::move(outputs[i]) : outputs[i].select(where);
  }
}

void Executor::wait_to_be_taken(BatchState& batch, size_t step) {
  std::lock_guard lock(mutex_);
  batch.consumer_step = static_cast<int>(step);
  ++at_consumer_;
  tell();
}

bool Executor::stands_failed() const {
  return !batches_.empty() && batches_.front()->consumer_step >= 0 && batches_.front()->batch_error;
}

void Executor::let_failed_go_on() {
  for (;;) {  // it may stop again at once
    {
      std::lock_guard lock(mutex_);
      if (!stands_failed()) return;
    }
    const auto [batch, step] = go_on();
    start_step(*batch, step + 1);
  }
}

std::optional<ConsumerStep> Executor::consumer_step() {
  let_failed_go_on();
  std::lock_guard lock(mutex_);
  if (batches_.empty() || batches_.front()->consumer_step < 0) return {};
  BatchState& batch = *batches_.front();
  const int index = plan_.steps[static_cast<size_t>(batch.consumer_step)].node;
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(index)];
  const Part part = part_for(batch, node);
  ConsumerStep made{
      .number = node.op->traits().consumer_step.value(), .samples = static_cast<int>(part.slots.size()), .inputs = {}};
  for (const TensorList* input : part.context.inputs) made.inputs.push_back(*input);
  return made;
}

std::pair<BatchState*, size_t> Executor::go_on() {
  std::lock_guard lock(mutex_);
  PENSTOCK_CHECK(!batches_.empty() && batches_.front()->consumer_step >= 0, ArgumentError, "no batch is handed over");
  BatchState& batch = *batches_.front();
  const auto step = static_cast<size_t>(std::exchange(batch.consumer_step, -1));
  --at_consumer_;
  return {&batch, step};
}

void Executor::end_consumer_step(std::vector<TensorList> outputs) {
  const auto [batch, step] = go_on();
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  try {
    const Part part = part_for(*batch, node);
    pass_sources_on(part.context.inputs, outputs);
    keep_outputs(*batch, node, part, std::move(outputs));
  } catch (...) {
    fail_batch(*batch, &node);
  }
  start_step(*batch, step + 1);
}

void Executor::end_consumer_step(std::exception_ptr error) {
  const auto [batch, step] = go_on();
  batch->batch_error = std::move(error);
  start_step(*batch, step + 1);
}

void Executor::pass_turn(size_t step) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(plan_.steps[step].node)];
  if (!node.op->traits().serial) return;
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

}  // namespace penstock
