#include "pipeline/rewrite.h"

#include <fmt/format.h>

#include <map>

#include "schema/registry.h"

namespace penstock {
namespace {

bool stays(const OpNode& node) { return node.preserve || registry().at(node.op).keep; }

/// Operators whose outputs are made one by one, and the list argument with a number for each output.
const std::map<std::string, std::string>& made_alone() {
  static const std::map<std::string, std::string> operators = {{"element_extract", "element_map"}};
  return operators;
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
    const auto op = static_cast<size_t>(node.op);
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
  std::vector<bool> alive(graph.nodes().size());
  for (const Node& output : graph.outputs()) alive[static_cast<size_t>(output.op)] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const OpNode& node = graph.nodes()[i];
    if (stays(node)) alive[i] = true;
    if (!alive[i]) continue;
    for (const Node& input : node.inputs) alive[static_cast<size_t>(input.op)] = true;
    for (const auto& [name, input] : node.arg_inputs) alive[static_cast<size_t>(input.op)] = true;
    if (node.when.op >= 0) alive[static_cast<size_t>(node.when.op)] = true;
  }
  Copier copier(graph);
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    if (alive[i]) {
      copier.add(i, copier.translated(i));
    } else {
      notes.push_back(fmt::format("dropped {}: nobody reads it", graph.nodes()[i].op));
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

}  // namespace penstock
