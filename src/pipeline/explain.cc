#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pipeline/depth.h"
#include "pipeline/plan.h"
#include "pipeline/read_ahead.h"
#include "pipeline/stats_json.h"

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

std::string inputs_of(const Plan& plan, const PlannedNode& node) {
  std::vector<std::string> names;
  const auto name = [&](int v) {
    const PlannedValue& value = plan.values[static_cast<size_t>(v)];
    return fmt::format("#{}{}", value.node, value.output ? fmt::format(".{}", value.output) : "");
  };
  for (int v : node.inputs) names.push_back(name(v));
  for (size_t i = 0; i < node.arg_inputs.size(); ++i)
    names.push_back(node.spec.arg_inputs[i] + "=" + name(node.arg_inputs[i]));
  return fmt::format("({}){}", fmt::join(names, ", "), node.when < 0 ? "" : " where " + name(node.when));
}

/// What is special about where the node's outputs live and how much of them is made.
std::string remarks_on(const Plan& plan, const PlannedNode& node, bool push_regions) {
  std::vector<std::string> remarks;
  if (node.joined_by >= 0)
    remarks.push_back(fmt::format("on the GPU, in the launch of #{}", node.joined_by));
  else if (node.form || node.batch_form)
    remarks.push_back("on the GPU, one launch a batch");
  for (int v : node.outputs) {
    const PlannedValue& value = plan.values[static_cast<size_t>(v)];
    if (value.alias_of >= 0) {
      remarks.push_back("renames only");
    } else if (value.place >= 0) {
      remarks.push_back("written in place into the batch");
    } else if (push_regions && node.sample_op && node.sample_op->traits().makes_regions && !value.whole) {
      remarks.push_back("makes only the region that is kept");
    }
  }
  return remarks.empty() ? "" : fmt::format("  [{}]", fmt::join(remarks, "; "));
}

std::string line_for(const Plan& plan, int n, bool push_regions) {
  const PlannedNode& node = plan.nodes[static_cast<size_t>(n)];
  return fmt::format("  #{} {}{}{}\n", n, node.label(), inputs_of(plan, node), remarks_on(plan, node, push_regions));
}

const char* how_done(const Plan& plan, const PlannedStep& step) {
  if (!step.batch) return "sample by sample, on any worker";
  const Operator& op = *plan.nodes[static_cast<size_t>(step.node)].op;
  return op.traits().consumer_step ? "once a batch, on the thread that takes it" : "once a batch";
}

}  // namespace

std::string explain(const Plan& plan, const PipelineOptions& options) {
  std::string text = fmt::format("batches of {}, {} in the making\n", options.batch_size, depth_of(options));
  if (options.device_id != kHostMemory && options.multiprocessors > 0)
    text += fmt::format("  kernels on {} of the GPU's multiprocessors\n", options.multiprocessors);
  if (!plan.readers.empty())
    text += fmt::format("  read {} batches ahead while samples are not in memory\n", ReadAhead::batches(options));
  for (const std::string& note : plan.notes) text += "  " + note + "\n";
  if (!plan.externals.empty()) text += "fed from outside\n";
  for (int n : plan.externals) text += line_for(plan, n, options.push_regions);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const PlannedStep& step = plan.steps[i];
    text += fmt::format("step {}: {}\n", i, how_done(plan, step));
    if (step.batch) text += line_for(plan, step.node, options.push_regions);
    for (const auto& group : step.groups)
      for (int n : group.makes) text += line_for(plan, n, options.push_regions);
  }
  return text;
}

std::string stats_json(const Plan& plan, const Stats& stats) {
  const auto seconds = [](int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; };
  nlohmann::json operators = nlohmann::json::array();
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const auto& node = stats.per_node[i];
    const int64_t timed = node.samples.load();
    operators.push_back(
        {{"operator", plan.nodes[i].label()},
         {"timed_samples", timed},
         {"microseconds_per_sample", timed ? seconds(node.nanoseconds) * 1e6 / static_cast<double>(timed) : 0.0}});
  }
  return nlohmann::json{{"batches", stats.batches.load()},
                        {"samples", stats.samples.load()},
                        {"failures", stats.failures.load()},
                        {"consumer_waited_seconds", seconds(stats.consumer_waited)},
                        {"gpu_awaited_seconds", seconds(stats.gpu_awaited)},
                        {"read_ahead", {{"hints", stats.hints.load()}, {"slow_hints", stats.slow_hints.load()}}},
                        {"operators", std::move(operators)}}
      .dump();
}

}  // namespace penstock
