// Which operators the GPU does. What is asked of a GPU and has a form for it is done there, unless the host needs the
// result within the pipeline: then the host does it, since that costs less than bringing it back.
#include <algorithm>

#include <fmt/ranges.h>

#include "pipeline/plan.h"

namespace penstock {
namespace {

/// Operators that only rename need no form: the GPU's addresses serve as well.
bool renames(const Operator& op) { return op.traits().alias_of >= 0; }

/// Null where the operator has no form for GPUs.
const device::OnGpu* on_gpu(const Operator& op) { return dynamic_cast<const device::OnGpu*>(&op); }

/// Finds the kernels of an operator that has a form; says so in the plan's notes where the GPU lacks one.
bool find_kernels(Plan& plan, PlannedNode& node, device::Device& gpu) {
  std::vector<std::string_view> names;
  if (const device::OnGpu* form = on_gpu(*node.op)) names = form->kernels();
  if (node.kernels.find(gpu.runtime(), names)) return true;
  plan.notes.push_back(node.label() + " is done by the host: this GPU lacks a kernel of " +
                       fmt::format("\"{}\"", fmt::join(names, "\", \"")));
  return false;
}

bool takes_frames(const Plan& plan, const PlannedNode& node);

/// Whether the value is known to be a sequence of arguments, whose frames the host has to make one by one.
bool gives_frames(const Plan& plan, int v) {
  const PlannedNode& node = plan.nodes[static_cast<size_t>(plan.values[static_cast<size_t>(v)].node)];
  if (node.schema->name == "per_frame") return true;
  const auto layout = node.asked.args.find("layout");
  if (layout != node.asked.args.end())
    if (const auto* letters = std::get_if<std::string>(&layout->second); letters && letters->starts_with('F'))
      return true;
  return takes_frames(plan, node);
}

bool takes_frames(const Plan& plan, const PlannedNode& node) {
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (node.op->traits().is_per_frame(static_cast<int>(i)) && gives_frames(plan, node.inputs[i])) return true;
  return std::ranges::any_of(node.arg_inputs, [&](int v) { return gives_frames(plan, v); });
}

bool can_run(Plan& plan, PlannedNode& node, device::Device& gpu) {
  const bool works = node.sample_op || node.batch_op;
  return node.asked.device != "cpu" && works && node.outputs.size() == 1 && has_gpu_form(*node.op) &&
         !takes_frames(plan, node) && find_kernels(plan, node, gpu);
}

/// Whether the host reads the data of input `i` of the node, be it on its way to the GPU's work. A step knows the
/// shapes of all that it makes; of what an earlier one made it gets the data.
bool host_reads(const Plan& plan, const PlannedNode& node, size_t i) {
  if (node.on_gpu) return node.reads_data(i);
  const PlannedValue& value = plan.values[static_cast<size_t>(node.inputs[i])];
  const bool same_step = plan.nodes[static_cast<size_t>(value.node)].step == node.step;
  return !(node.sees_shape_only(i) && same_step);
}

/// Programs that joined no other are done by the kernels made for them, where the GPU has these.
void find_kernels_of_their_own(PlannedNode& node, device::Device& gpu) {
  if (!node.elements || node.follows >= 0 || node.joined_by >= 0) return;
  const device::GpuForm& alone = node.elements->alone();
  device::FoundKernels kernels;
  if (!kernels.find(gpu.runtime(), alone.kernels())) return;
  node.form = &alone;
  node.kernels = std::move(kernels);
}

void find_form(PlannedNode& node) {
  const device::OnGpu* there = on_gpu(*node.op);
  if (there) node.batch_form = there->batch_form();
  if (node.batch_op) return;
  if (there && !renames(*node.op)) node.form = there->form();
  node.elements = dynamic_cast<const ElementForm*>(node.form);
  for (size_t i = 0; i < node.inputs.size(); ++i)
    if (!node.reads_data(i) && (node.form ? node.form->reads(static_cast<int>(i)) : i == 0))
      node.gpu_inputs.push_back(node.inputs[i]);
}

/// The GPU reads and makes these; the others never leave the host or never reach it.
void number_values(Plan& plan) {
  const auto add = [&](PlannedStep& step, int v) {
    step.gpu_slots.resize(plan.values.size(), -1);
    int& slot = step.gpu_slots[static_cast<size_t>(v)];
    if (slot >= 0) return;
    slot = static_cast<int>(step.gpu_values.size());
    step.gpu_values.push_back(v);
  };
  for (const PlannedNode& node : plan.nodes) {
    if (!node.on_gpu || node.batch_op || node.joined_by >= 0) continue;
    PlannedStep& step = plan.steps[static_cast<size_t>(node.step)];
    for (int v : node.gpu_inputs) add(step, v);
    add(step, node.outputs[0]);
  }
}

}  // namespace

bool has_gpu_form(const Operator& op) { return on_gpu(op) || renames(op); }

bool made_on_gpu(const Plan& plan, int v, const PlannedStep& step) {
  const PlannedNode& node = plan.nodes[static_cast<size_t>(plan.values[static_cast<size_t>(v)].node)];
  return node.on_gpu && &plan.steps[static_cast<size_t>(node.step)] == &step;
}

bool host_needs(const Plan& plan, int v) {
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i] == v && !plan.gpu_outputs[i]) return true;
  const PlannedValue& value = plan.values[static_cast<size_t>(v)];
  return std::any_of(value.readers.begin(), value.readers.end(), [&](int r) {
    const PlannedNode& reader = plan.nodes[static_cast<size_t>(r)];
    for (size_t i = 0; i < reader.inputs.size(); ++i)
      if (reader.inputs[i] == v && host_reads(plan, reader, i)) return true;
    return reader.when == v ||
           std::find(reader.arg_inputs.begin(), reader.arg_inputs.end(), v) != reader.arg_inputs.end();
  });
}

void place_on_gpu(Plan& plan, device::Device& gpu) {
  for (PlannedNode& node : plan.nodes) node.on_gpu = can_run(plan, node, gpu);
  for (bool changed = true; changed;) {
    changed = false;
    for (PlannedNode& node : plan.nodes) {
      if (!node.on_gpu || !host_needs(plan, node.outputs[0])) continue;
      node.on_gpu = false;
      changed = true;
    }
  }
  for (PlannedNode& node : plan.nodes)
    if (node.on_gpu) find_form(node);
  join_programs(plan);
  for (PlannedNode& node : plan.nodes) find_kernels_of_their_own(node, gpu);
  number_values(plan);
}

}  // namespace penstock
