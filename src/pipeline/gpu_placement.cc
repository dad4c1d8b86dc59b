// Which operators the GPU does. What is asked of a GPU and has a form for it is done there, unless the host needs the
// result within the pipeline: then the host does it, since that costs less than bringing it back.
#include <algorithm>

#include "pipeline/plan.h"

namespace penstock {
namespace {

/// Operators that only rename need no form: the GPU's addresses serve as well.
bool renames(const PlannedNode& node) { return node.sample_op && node.sample_op->alias_of(0) >= 0; }

bool can_run(const PlannedNode& node) {
  const bool asked = node.asked.device != "cpu" && node.sample_op && node.outputs.size() == 1;
  return asked && node.inputs.size() >= 1 && (renames(node) || dynamic_cast<const device::Form*>(node.op.get()));
}

/// The host reads the value: an operator that it does, data that shapes depend on, a later step, or the user.
bool host_needs(const Plan& plan, int v) {
  const PlannedValue& value = plan.values[static_cast<size_t>(v)];
  for (size_t i = 0; i < plan.outputs.size(); ++i)
    if (plan.outputs[i] == v && !plan.gpu_outputs[i]) return true;
  return std::any_of(value.readers.begin(), value.readers.end(), [&](int r) {
    const PlannedNode& reader = plan.nodes[static_cast<size_t>(r)];
    return !reader.on_gpu || reader.reads_data() || reader.inputs[0] != v ||
           reader.step != plan.nodes[static_cast<size_t>(value.node)].step;
  });
}

/// The GPU reads and makes these; the others never leave the host or never reach it.
void number_values(Plan& plan) {
  const auto add = [&](PlannedStep& step, int v) {
    PlannedValue& value = plan.values[static_cast<size_t>(v)];
    if (value.gpu_slot >= 0) return;
    value.gpu_slot = static_cast<int>(step.gpu_values.size());
    step.gpu_values.push_back(v);
  };
  for (const PlannedNode& node : plan.nodes) {
    if (!node.on_gpu) continue;
    PlannedStep& step = plan.steps[static_cast<size_t>(node.step)];
    if (!node.reads_data()) add(step, node.inputs[0]);
    add(step, node.outputs[0]);
  }
}

}  // namespace

void place_on_gpu(Plan& plan) {
  for (PlannedNode& node : plan.nodes) node.on_gpu = can_run(node);
  for (bool changed = true; changed;) {
    changed = false;
    for (PlannedNode& node : plan.nodes) {
      if (!node.on_gpu || !host_needs(plan, node.outputs[0])) continue;
      node.on_gpu = false;
      changed = true;
    }
  }
  for (PlannedNode& node : plan.nodes)
    if (node.on_gpu && !renames(node)) node.form = dynamic_cast<const device::Form*>(node.op.get());
  number_values(plan);
}

}  // namespace penstock
