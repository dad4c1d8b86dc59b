#include "pipeline/sample_task.h"

#include <algorithm>

#include "core/check.h"

namespace penstock {
namespace {

// Reading the clock twice an operator costs about 40 ns, as much as a small operator itself: one sample in eight is
// timed.
constexpr size_t kTimedEvery = 8;

/// Asks the processor for memory of a batch that the last operators of a chain will write: it comes while the first
/// ones work. Small samples fit the store buffer badly: their last stores held up the next sample's first.
void will_write(std::byte* memory, size_t bytes) {
  constexpr size_t kLine = 64, kMost = 4096;
  for (size_t at = 0; at < std::min(bytes, kMost); at += kLine) __builtin_prefetch(memory + at, 1);
}

/// An unlabelled input takes the first declared layout of its rank; any other must be one of the declared.
Layout implied_layout(const TensorDesc& desc, std::span<const Layout> layouts, const InputSpec& declared) {
  if (desc.layout.empty()) {
    for (const Layout& layout : layouts)
      if (layout.ndim() == desc.shape.ndim()) return layout;
    fail<ArgumentError>("The number of dimensions {} does not match any of the allowed layouts of input `{}`: {}",
                        desc.shape.ndim(), declared.name, fmt::join(declared.layouts, ", "));
  }
  if (std::ranges::find(layouts, desc.layout) != layouts.end()) return desc.layout;
  fail<ArgumentError>("The layout \"{}\" does not match any of the allowed layouts of input `{}`: {}",
                      desc.layout.view(), declared.name, fmt::join(declared.layouts, ", "));
}

/// A value that no node has made for this sample has no type.
bool is_there(const Value& value) { return value.tensor.dtype != DType::kNone; }

SelectedKind kind_of(const Value& value) {
  return {value.tensor.dtype, is_there(value) ? value.tensor.shape.ndim() : 0};
}

/// What a tensor holds that shares the memory of `in`: an operator that changes the shape needs all of that.
Region held_by_name(const Value& in, const TensorDesc& out) {
  return in.tensor.shape == out.shape ? in.held : whole(out);
}

/// Leaves of a sequence's frames those that are wanted.
void keep_frames(Value& in, const Region& wanted) {
  if (in.tensor.layout.empty() || in.tensor.layout[0] != 'F' || wanted.empty()) return;
  if (in.tensor.data) in.tensor.data += bytes_before(in.tensor, in.held, wanted);
  in.held.set(0, wanted.begin(0), wanted.end(0));
}

/// Where a sample came from: the source of what the node takes or makes or, where that has none (boxes have not, the
/// picture that was read with them has), of what was made before.
template <class Values>
std::string_view source_before(const Plan& plan, const Values& values, int node) {
  std::vector<int> nodes{node};
  for (size_t i = 0; i < nodes.size(); ++i) {
    const PlannedNode& one = plan.nodes[static_cast<size_t>(nodes[i])];
    for (const auto* list : {&one.inputs, &one.outputs})
      for (int v : *list)
        if (!values[static_cast<size_t>(v)].source.empty()) return values[static_cast<size_t>(v)].source;
    for (const auto* list : {&one.inputs, &one.arg_inputs})
      for (int v : *list) {
        const int producer = plan.values[static_cast<size_t>(v)].node;
        if (std::ranges::find(nodes, producer) == nodes.end()) nodes.push_back(producer);
      }
  }
  return {};
}

}  // namespace

SampleTask::SampleTask(const Plan& plan, const PlannedStep& step, bool push_regions, Stats& stats)
    : plan_(plan), step_(step), push_regions_(push_regions), stats_(stats) {
  values_.resize(plan.values.size());
  wanted_.resize(plan.values.size());
  selected_.resize(plan.values.size(), -1);
  for (const PlannedGroup& planned : step.groups) {
    Group& group = groups_.emplace_back();
    for (int n : planned.infers) {
      Stage& stage = stages_[n];
      wire(n, stage);
      group.infers.push_back(&stage);
    }
    for (int n : planned.makes) group.makes.push_back(&stages_[n]);
  }
}

void SampleTask::wire(int n, Stage& stage) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(n)];
  if (node.reader) readers_.push_back(&node);
  stage.node = n;
  stage.inputs = node.inputs;
  stage.runner = std::make_unique<SampleRunner>(*node.sample_op, node.spec.seed);
  stage.runner->set_arena(&arena_);
  stage.by_frame = node.sample_op->traits().makes_frames() && !(node.form && node.elements);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const auto& declared = node.schema->inputs[std::min(i, node.schema->inputs.size() - 1)];
    Value* input = &value(node.inputs[i]);
    if (!declared.layouts.empty() || (stage.by_frame && i == 0))
      input = &stage.relabelled
                   .emplace_back(Relabelled{i, {}, &declared, {declared.layouts.begin(), declared.layouts.end()}})
                   .copy;
    stage.runner->add_input(input);
  }
  for (size_t i = 0; i < node.arg_inputs.size(); ++i) {
    stage.runner->add_arg_input(&value(node.arg_inputs[i]));
    stage.runner->allow_per_frame(node.spec.arg_inputs[i]);
  }
  for (int v : node.outputs) stage.runner->add_output(&value(v));
  for (size_t i = 0; i < node.outputs.size(); ++i)
    wanted_[static_cast<size_t>(node.outputs[i])] = &stage.runner->wanted(i);
}

void SampleTask::begin(BatchState& batch) {
  staging_.reset();
  if (batch.gpu) staging_.emplace(batch.gpu->staging());
}

void SampleTask::prefetch(const BatchState& batch, size_t slot, size_t later) const {
  for (const PlannedNode* node : readers_) {
    const auto which = static_cast<size_t>(node->spec.reader);
    node->reader->prefetch(batch.ids[slot].picks[which].index, batch.ids[later].picks[which].index);
  }
}

void SampleTask::run(BatchState& batch, size_t slot) {
  const SampleId& id = batch.ids[slot];
  current_ = nullptr;
  try {
    make(batch, slot);
  } catch (Error& e) {
    add_context(e, id);
    throw;
  } catch (const std::bad_alloc&) {
    OutOfMemory error("the system has not enough memory");
    add_context(error, id);
    throw error;
  } catch (const device::GpuError&) {
    throw;  // no sample's fault
  } catch (const std::exception& e) {
    InternalError error(e.what());
    add_context(error, id);
    throw error;
  }
}

void SampleTask::make(BatchState& batch, size_t slot) {
  arena_.reset();
  load(batch, slot);
  for (int v : step_.selections) selected_[static_cast<size_t>(v)] = -1;
  for (const Group& group : groups_) {
    for (Stage* stage : group.infers) infer(*stage, batch.ids[slot]);
    ask_for_regions(group);
    for (const Stage* stage : group.makes)
      if (!stage->skipped) prepare_memory(*stage, batch, slot);
    for (Stage* stage : group.makes)
      if (!stage->skipped) execute(*stage, batch, slot);
  }
  for (int v : step_.gpu_values) batch.gpu->keep(slot, v, value(v));
  for (int v : step_.makes) {
    const auto list = static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list);
    if (is_there(value(v)))
      batch.builders[list]->set(slot, value(v).tensor, value(v).source);
    else
      batch.builders[list]->skip(slot);
  }
  for (size_t i = 0; i < step_.selections.size(); ++i)
    batch.selections[slot * step_.selections.size() + i] = kind_of(value(step_.selections[i]));
}

void SampleTask::add_context(Error& error, const SampleId& id) {
  ErrorContext context;
  std::string record;
  if (current_) {
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(current_->node)];
    context = node.context();
    context.source = source_before(plan_, values_, current_->node);
  }
  context.sample = id.slot;
  for (size_t r = 0; !context.source.empty() && r < plan_.readers.size(); ++r) {
    const Reader& reader = *plan_.nodes[static_cast<size_t>(plan_.readers[r])].reader;
    const std::string place = reader.place(id.picks[r].index, context.source);
    if (place.empty()) continue;
    context.source = place;
    record = reader.record(id.picks[r].index);
  }
  failed_source_ = error.context().source.empty() ? context.source : error.context().source;
  if (!record.empty()) context.source += ", " + record;
  error.add_context(context);
}

void SampleTask::load(const BatchState& batch, size_t slot) {
  for (int v : step_.loads) {
    const TensorList& list = batch.lists[static_cast<size_t>(plan_.values[static_cast<size_t>(v)].list)];
    const auto i = static_cast<int64_t>(slot);
    value(v) = list.size() ? Value{list[i], whole(list[i]), list.source(i)} : Value{};
  }
}

void SampleTask::infer(Stage& stage, const SampleId& id) {
  current_ = &stage;
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage.node)];
  for (int v : node.outputs) {  // first: an error looks there for where the sample came from
    value(v).clear();
    wanted_[static_cast<size_t>(v)]->clear();
  }
  stage.skipped = node.when >= 0 && branch_left_out(node);
  if (stage.skipped) return;  // its inputs may be of the branch alone, and not there either
  for (auto& [i, copy, declared, layouts] : stage.relabelled) {
    copy = value(stage.inputs[i]);
    if (!layouts.empty()) copy.tensor.layout = implied_layout(copy.tensor, layouts, *declared);
  }
  stage.runner->infer(id);
  if (node.selects) {
    const int input = node.selects->selected(stage.runner->sample());
    selected_[static_cast<size_t>(node.outputs[0])] = node.inputs[static_cast<size_t>(input)];
  }
  for (int v : node.outputs) {
    Value& out = value(v);
    for (size_t i = 0; out.source.empty() && i < node.inputs.size(); ++i) out.source = value(node.inputs[i]).source;
  }
}

bool SampleTask::branch_left_out(const PlannedNode& node) const {
  const TensorView& flag = values_[static_cast<size_t>(node.when)].tensor;
  PENSTOCK_CHECK(flag.dtype == DType::kBool && flag.shape.ndim() == 0, DataError,
                 "a branch is chosen by one BOOL a sample, not by {} of {} dimensions", name_of(flag.dtype),
                 flag.shape.ndim());
  return *flag.data == std::byte{};
}

void SampleTask::ask_for_regions(const Group& group) {
  for (auto at = group.makes.rbegin(); at != group.makes.rend(); ++at) {
    Stage* stage = *at;
    if (stage->skipped) continue;
    current_ = stage;
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage->node)];
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const auto v = static_cast<size_t>(node.outputs[i]);
      const bool all = plan_.values[v].whole || plan_.values[v].readers.empty() || !push_regions_ ||
                       !node.sample_op->traits().makes_regions;
      if (all) wanted_[v]->set_whole(values_[v].tensor.shape);
    }
    stage->runner->need();
    for (size_t i = 0; i < stage->inputs.size(); ++i)
      if (Region* asked = wanted_[static_cast<size_t>(stage->inputs[i])]) asked->unite(stage->runner->needed(i));
  }
}

void SampleTask::execute(Stage& stage, BatchState& batch, size_t slot) {
  current_ = &stage;
  for (auto& [i, copy, declared, layouts] : stage.relabelled) {
    const Value& source = value(stage.inputs[i]);
    copy.tensor.data = source.tensor.data;
    copy.held = source.held;
    if (stage.by_frame && i == 0) keep_frames(copy, stage.runner->wanted(0));
  }
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage.node)];
  if (!node.form && nothing_to_do(stage)) return;
  const bool traced = stats_.trace.enabled();
  const bool timed = traced || slot % kTimedEvery == 0;
  const auto start = timed ? Clock::now() : Clock::time_point{};
  if (node.form)
    describe(stage, batch, slot);
  else
    stage.runner->run();
  if (timed) {
    auto& counters = stats_.per_node[static_cast<size_t>(stage.node)];
    counters.nanoseconds.fetch_add(nanoseconds_since(start), std::memory_order_relaxed);
    counters.samples.fetch_add(1, std::memory_order_relaxed);
    if (traced)
      stats_.trace.add(plan_.nodes[static_cast<size_t>(stage.node)].asked.op, start, Clock::now(), batch.iteration,
                       batch.ids[slot].slot);
  }
}

void SampleTask::describe(Stage& stage, BatchState& batch, size_t slot) {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage.node)];
  int last = stage.node;  // whose launch it is
  while (plan_.nodes[static_cast<size_t>(last)].joined_by >= 0) last = plan_.nodes[static_cast<size_t>(last)].joined_by;
  const bool refused = batch.was_refused(last, slot);
  Sample& sample = stage.runner->sample();
  PENSTOCK_CHECK(
      !stage.runner->by_frames(), ArgumentError,
      "an argument has a value for each frame, which is the host's work: mark it with `fn.per_frame` where it "
      "is made, or give the operator device=\"cpu\"");
  if (last == stage.node && node.follows < 0)
    return node.form->describe(sample, *staging_, batch.gpu->job(stage.node, slot), refused);
  node.elements->compile(sample, *staging_, stage.work, {.lead = node.lead, .refused = refused});
  stage.work.name_inputs(node.inputs);
  if (node.follows >= 0) stage.work.follow(stage_of(node.follows).work, node.inputs[static_cast<size_t>(node.lead)]);
  if (last == stage.node)
    stage.work.write(*staging_, node.gpu_inputs, *new (batch.gpu->job(stage.node, slot)) kernels::ElementJob);
}

int SampleTask::place_of(int v) const {
  const PlannedValue& planned = plan_.values[static_cast<size_t>(v)];
  if (planned.place >= 0 || !planned.selected) return planned.place;
  for (int reader : planned.readers) {
    const PlannedNode& node = plan_.nodes[static_cast<size_t>(reader)];
    if (!node.selects || selected_[static_cast<size_t>(node.outputs[0])] != v) continue;
    if (const int place = place_of(node.outputs[0]); place >= 0) return place;
  }
  return -1;
}

bool SampleTask::pass_selected(const Stage& stage, int place) {
  const int output = plan_.nodes[static_cast<size_t>(stage.node)].outputs[0];
  const int from = selected_[static_cast<size_t>(output)];
  Value& out = value(output);
  const Value& given = value(from);
  if (place >= 0 && place_of(from) != place) return false;
  out.tensor.data = given.tensor.data;
  out.held = given.held;
  return true;
}

bool SampleTask::nothing_to_do(const Stage& stage) const {
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage.node)];
  if (node.selects) {
    const int from = selected_[static_cast<size_t>(node.outputs[0])];
    if (values_[static_cast<size_t>(node.outputs[0])].tensor.data == values_[static_cast<size_t>(from)].tensor.data)
      return true;
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const bool renamed = plan_.values[static_cast<size_t>(node.outputs[i])].alias_of >= 0;
    const bool unwanted = node.sample_op->traits().makes_regions && stage.runner->wanted(i).empty();
    if (!renamed && !unwanted) return false;
  }
  return !node.outputs.empty();
}

void SampleTask::prepare_memory(const Stage& stage, BatchState& batch, size_t slot) {
  current_ = &stage;
  const PlannedNode& node = plan_.nodes[static_cast<size_t>(stage.node)];
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const int v = node.outputs[i];
    const PlannedValue& planned = plan_.values[static_cast<size_t>(v)];
    Value& out = value(v);
    out.held = planned.alias_of < 0 ? stage.runner->wanted(i) : held_by_name(value(planned.alias_of), out.tensor);
    if (node.on_gpu) {
      out.tensor.data = nullptr;
    } else if (planned.alias_of >= 0) {
      out.tensor.data = value(planned.alias_of).tensor.data;
    } else if (out.tensor.data) {
      continue;  // the operator brought its own memory
    } else if (const int place = place_of(v); node.selects && pass_selected(stage, place)) {
      continue;
    } else if (place >= 0) {
      const auto list = static_cast<size_t>(plan_.values[static_cast<size_t>(place)].list);
      const size_t bytes = out.tensor.nbytes();
      out.tensor.data = batch.builders[list]->place(slot, bytes);
      will_write(out.tensor.data, bytes);
    } else if (step_.gpu_slot(v) >= 0) {
      out.tensor.data = batch.gpu->place(slot, v, bytes_of(out.tensor, out.held));
    } else {
      out.tensor.data = arena_.take(bytes_of(out.tensor, out.held));
    }
  }
}

}  // namespace penstock
