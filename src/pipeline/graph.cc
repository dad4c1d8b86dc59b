#include <penstock/graph.h>

#include <algorithm>

#include "core/check.h"
#include "schema/registry.h"

namespace penstock {
namespace {

void check_inputs(const OpSchema& schema, const OpNode& node) {
  size_t least = 0;
  bool open_ended = false;
  for (const InputSpec& input : schema.inputs) {
    least += !input.optional;
    open_ended |= input.variadic;
  }
  const size_t most = open_ended ? SIZE_MAX : schema.inputs.size();
  if (node.inputs.size() >= least && node.inputs.size() <= most) return;
  fail<ArgumentError>("expects from {} to {} inputs, but received {}", least,
                      open_ended ? std::string("any number of") : std::to_string(most), node.inputs.size());
}

[[noreturn]] void refuse_unknown(const OpSchema& schema, const std::string& name) {
  std::vector<std::string> names;
  for (const ArgSpec& arg : schema.args) names.push_back(arg.name);
  const std::string near = nearest(name, names);
  fail<TypeError>("got an unexpected argument `{}`{}", name, near.empty() ? "" : "; did you mean `" + near + "`?");
}

void check_arguments(const OpSchema& schema, const OpNode& node) {
  for (const auto& [name, value] : node.args)
    if (!schema.arg(name) && !(schema.random && name == "seed")) refuse_unknown(schema, name);
  for (const auto& [name, value] : node.arg_inputs) {
    const ArgSpec* arg = schema.arg(name);
    if (!arg) refuse_unknown(schema, name);
    PENSTOCK_CHECK(arg->flags & kPerSample, TypeError, "argument `{}` takes a constant, not a node", name);
    PENSTOCK_CHECK(!node.args.contains(name), ArgumentError, "argument `{}` is given twice", name);
  }
  for (const ArgSpec& arg : schema.args) {
    const auto given = node.args.find(arg.name);
    const bool present = node.arg_inputs.contains(arg.name) ||
                         (given != node.args.end() && !std::holds_alternative<std::monostate>(given->second));
    PENSTOCK_CHECK(present || !(arg.flags & kRequired), ArgumentError, "argument `{}` is required", arg.name);
  }
}

void check_own(const std::vector<OpNode>& nodes, const Node& node, const std::string& what) {
  const bool own = node.op >= 0 && static_cast<size_t>(node.op) < nodes.size() && node.output >= 0 &&
                   node.output < nodes[static_cast<size_t>(node.op)].num_outputs;
  PENSTOCK_CHECK(own, ArgumentError, "{} is not of this graph", what);
}

void check_device(const std::string& device) {
  PENSTOCK_CHECK(device == "cpu" || device == "gpu" || device == "mixed", ArgumentError,
                 "the device is \"cpu\", \"gpu\" or \"mixed\", not \"{}\"", device);
}

}  // namespace

std::vector<Node> Graph::add(OpNode node) {
  try {
    const OpSchema& schema = registry().at(node.op);
    node.op = schema.name;  // an alias becomes the name it stands for
    check_inputs(schema, node);
    check_arguments(schema, node);
    check_device(node.device);
    for (const Node& input : node.inputs) check_own(nodes_, input, "an input");
    for (const auto& [name, input] : node.arg_inputs) check_own(nodes_, input, "argument `" + name + "`");
    if (node.when.op >= 0) check_own(nodes_, node.when, "the branch");
    PENSTOCK_CHECK(node.when.op < 0 || schema.kind != OpKind::kExternal, ArgumentError,
                   "is fed for all samples of a batch, so it cannot stand in a branch");
    for (const OpNode& other : nodes_)
      PENSTOCK_CHECK(node.name.empty() || node.name != other.name, ArgumentError,
                     "there are operators with non-unique names: `{}`", node.name);
    OpSpec spec{.args = node.args, .arg_inputs = {}, .num_inputs = static_cast<int>(node.inputs.size())};
    for (const auto& [name, input] : node.arg_inputs) spec.arg_inputs.push_back(name);
    node.num_outputs = schema.num_outputs(spec);
    if (schema.expand) return schema.expand([this](OpNode part) { return add(std::move(part)); }, node);
  } catch (Error& e) {
    e.add_context({.op = node.op, .origin = node.origin});
    throw;
  }
  const int op = static_cast<int>(nodes_.size());
  std::vector<Node> outputs;
  for (int i = 0; i < node.num_outputs; ++i) outputs.push_back({op, i});
  nodes_.push_back(std::move(node));
  return outputs;
}

void Graph::set_outputs(std::vector<Node> outputs) {
  PENSTOCK_CHECK(!outputs.empty(), ArgumentError, "a pipeline needs at least one output");
  for (const Node& output : outputs) check_own(nodes_, output, "an output");
  outputs_ = std::move(outputs);
}

}  // namespace penstock
