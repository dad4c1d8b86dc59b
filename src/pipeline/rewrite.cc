#include "pipeline/rewrite.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/check.h"
#include "schema/registry.h"

namespace penstock {
namespace {

bool stays(const OpNode& node) { return node.preserve || registry().at(node.op).keep; }

/// Operators whose outputs are made one by one, and the list argument with a number for each output.
const std::map<std::string, std::string>& made_alone() {
  static const std::map<std::string, std::string> operators = {{"element_extract", "element_map"}};
  return operators;
}

/// Operators that outputs and those that stay need, directly or not. A node needs the operators of its inputs where
/// `runs_inputs(node)`.
template <class RunsInputs>
std::vector<bool> needed(const Graph& graph, RunsInputs&& runs_inputs) {
  std::vector<bool> alive(graph.nodes().size());
  for (const Node& output : graph.outputs()) alive[static_cast<size_t>(output.op)] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const OpNode& node = graph.nodes()[i];
    if (stays(node)) alive[i] = true;
    if (!alive[i]) continue;
    if (runs_inputs(node))
      for (const Node& input : node.inputs) alive[static_cast<size_t>(input.op)] = true;
    for (const auto& [name, input] : node.arg_inputs) alive[static_cast<size_t>(input.op)] = true;
    if (node.when.op >= 0) alive[static_cast<size_t>(node.when.op)] = true;
  }
  return alive;
}

bool is_mixture(const OpNode& node) { return registry().at(node.op).kind == OpKind::kReader && !node.inputs.empty(); }

// What decides about the order of samples: a mixture has one order for all of its parts.
constexpr std::array<std::string_view, 10> kOfOrder = {
    "random_shuffle", "shuffle_buffer", "shuffle_list",   "shuffle_after_epoch", "shuffle_after_epoch_seed",
    "num_shards",     "shard_id",       "stick_to_shard", "pad_last_batch",      "epoch_end"};

void check_part(const OpNode& part) {
  PENSTOCK_CHECK(registry().at(part.op).kind == OpKind::kReader, ArgumentError,
                 "mixes readers: give it outputs of readers, not of {}", part.op);
  for (const std::string_view name : kOfOrder)
    PENSTOCK_CHECK(!part.args.contains(std::string(name)), ArgumentError,
                   "`{}` decides about the order of all samples: give it to the mixture, not to {}", name, part.op);
  PENSTOCK_CHECK(part.arg_inputs.empty(), ArgumentError,
                 "the argument `{}` of {} is given per sample, which readers of a mixture cannot have",
                 part.arg_inputs.begin()->first, part.op);
}

/// The operators whose outputs a mixture takes, each once, by their places in `nodes`.
std::vector<size_t> parts_of(const OpNode& mixture, const std::vector<OpNode>& nodes) {
  std::vector<size_t> parts;
  for (size_t i = 0; i < mixture.inputs.size();) {
    const auto which = static_cast<size_t>(mixture.inputs[i].op);
    const OpNode& part = nodes[which];
    check_part(part);
    const OpNode& first = nodes[parts.empty() ? which : parts[0]];
    PENSTOCK_CHECK(part.num_outputs == first.num_outputs, ArgumentError,
                   "the readers must give the same outputs: {} has {}, {} has {}", first.op, first.num_outputs, part.op,
                   part.num_outputs);
    for (int k = 0; k < part.num_outputs; ++k, ++i) {
      const bool next = i < mixture.inputs.size() && mixture.inputs[i] == Node{static_cast<int>(which), k};
      PENSTOCK_CHECK(next, ArgumentError, "takes all outputs of each reader, in order: {} has {}", part.op,
                     part.num_outputs);
    }
    parts.push_back(which);
  }
  return parts;
}

/// Copies `graph` operator by operator; where[i] becomes the new position of operator i.
class Copier {
 public:
  explicit Copier(const Graph& graph) : graph_(graph), where_(graph.nodes().size(), -1), split_(graph.nodes().size()) {}

  OpNode translated(size_t i) const {
    OpNode node = graph_.nodes()[i];
    for (Node& input : node.inputs) input = moved(input);
    for (auto& [name, input] : node.arg_inputs) input = moved(input);
    if (node.when.op >= 0) node.when = moved(node.when);
    return node;
  }
  void add(size_t i, OpNode node) {
    where_[i] = static_cast<int>(result_.nodes().size());
    result_.add(std::move(node));
  }
  /// Output k of operator i becomes output 0 of the k-th of these operators.
  void add_split(size_t i, std::vector<OpNode> nodes) {
    where_[i] = static_cast<int>(result_.nodes().size());
    split_[i] = true;
    for (OpNode& node : nodes) result_.add(std::move(node));
  }
  void same_as(size_t i, int position) { where_[i] = position; }
  int position(size_t i) const { return where_[i]; }
  Graph finish() {
    std::vector<Node> outputs;
    for (const Node& output : graph_.outputs()) outputs.push_back(moved(output));
    result_.set_outputs(std::move(outputs));
    return std::move(result_);
  }

 private:
  Node moved(const Node& node) const {
    const auto op = static_cast<size_t>(node.op);  // which stays at -1 where it is left out
    if (split_[op]) return {where_[op] + node.output, 0, node.on_gpu};
    return {where_[op], node.output, node.on_gpu};
  }
  const Graph& graph_;
  std::vector<int> where_;
  std::vector<bool> split_;
  Graph result_;
};

}  // namespace

Graph split_outputs(const Graph& graph) {
  Copier copier(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const OpNode node = copier.translated(i);
    const auto by = made_alone().find(node.op);
    if (by == made_alone().end() || node.num_outputs == 1) {
      copier.add(i, node);
      continue;
    }
    std::vector<int64_t> list;
    assign(list, node.args.at(by->second));
    std::vector<OpNode> nodes;
    for (const int64_t one : list) {
      OpNode& alone = nodes.emplace_back(node);
      alone.args[by->second] = std::vector<int64_t>{one};
      if (nodes.size() > 1) alone.name.clear();
    }
    copier.add_split(i, std::move(nodes));
  }
  return copier.finish();
}

Graph drop_dead(const Graph& graph, std::vector<std::string>& notes) {
  const std::vector<bool> alive = needed(graph, [](const OpNode&) { return true; });
  Copier copier(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (alive[i]) {
      copier.add(i, copier.translated(i));
    } else {
      notes.push_back(fmt::format("dropped {}: nothing reads it", graph.nodes()[i].op));
    }
  }
  return copier.finish();
}

Graph merge_equal(const Graph& graph, std::vector<std::string>& notes) {
  using Key = std::tuple<std::string, std::vector<Node>, std::map<std::string, ArgValue>, std::map<std::string, Node>,
                         std::string, Node>;
  std::map<Key, size_t> seen;
  Copier copier(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    OpNode node = copier.translated(i);
    const OpSchema& schema = registry().at(node.op);
    const bool mergeable = node.name.empty() && !stays(node) && (!schema.random || node.args.contains("seed"));
    const Key key{node.op, node.inputs, node.args, node.arg_inputs, node.device, node.when};
    const auto [first, is_new] = mergeable ? seen.emplace(key, i) : std::pair{seen.end(), true};
    if (is_new) {
      copier.add(i, std::move(node));
    } else {
      copier.same_as(i, copier.position(first->second));
      notes.push_back(fmt::format("merged two equal {}", node.op));
    }
  }
  return copier.finish();
}

FoldedGraph fold_mixtures(const Graph& graph) {
  const std::vector<OpNode>& nodes = graph.nodes();
  const std::vector<bool> alive = needed(graph, [](const OpNode& node) { return !is_mixture(node); });
  std::vector<MixedReader> readers;  // by node
  std::map<int, std::vector<MixedReader>> parts;
  Copier copier(graph);
  for (size_t i = 0; i < nodes.size(); ++i) {
    readers.push_back({nodes[i], {}});
    OpNode node = copier.translated(i);
    if (is_mixture(node)) {
      try {
        for (const size_t part : parts_of(nodes[i], nodes)) readers[i].parts.push_back(readers[part]);
      } catch (Error& e) {
        e.add_context({.op = node.op, .origin = node.origin});
        throw;
      }
      node.inputs.clear();
    }
    if (!alive[i]) continue;
    copier.add(i, std::move(node));
    if (!readers[i].parts.empty()) parts[copier.position(i)] = readers[i].parts;
  }
  return {copier.finish(), std::move(parts)};
}

}  // namespace penstock
