/// @file
/// A data-loading graph: operators described by schemas, joined by what they hand to each other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <penstock/arg_value.h>

namespace penstock {

/// One output of one operator of a graph.
struct Node {
  int op = -1;          ///< position of the operator in its graph
  int output = 0;       ///< which of its outputs
  bool on_gpu = false;  ///< as an output of the graph: handed out in GPU memory, where the pipeline has a GPU
  /// The same output, handed out in GPU memory.
  Node gpu() const { return {op, output, true}; }
  /// The same output, handed out in host memory.
  Node cpu() const { return {op, output, false}; }
  /// By operator, output and place.
  friend auto operator<=>(const Node&, const Node&) = default;
};

/// One operator of a graph, as it was asked for.
struct OpNode {
  std::string op;                               ///< registered name, such as "decoders.image"
  std::vector<Node> inputs = {};                ///< in the operator's order
  std::map<std::string, ArgValue> args = {};    ///< constant arguments that were given
  std::map<std::string, Node> arg_inputs = {};  ///< arguments that a node gives per sample
  std::string name = {};                        ///< the user's name for it; empty when none was given
  std::string device = "cpu";                   ///< "cpu", "gpu" or "mixed", as asked for
  std::string origin = {};                      ///< the user's lines that made it, for error messages
  bool preserve = false;                        ///< stays even when nothing reads its outputs
  Node when = {};       ///< a flag for each sample: those without it are left out; op -1: none are
  int num_outputs = 1;  ///< Graph::add sets it
};

/// Operators and what they hand to each other. A value: copies are independent, and a pipeline keeps one of its own.
class Graph {
 public:
  /// Adds an operator and returns its outputs.
  /// @throws KeyError for an unknown operator (the nearest is offered); ArgumentError for a wrong number of inputs, a
  /// missing required argument, a name used twice, an unknown device, or a node of another graph; TypeError for an
  /// unknown argument (the nearest is offered) or for a node where only a constant may stand.
  std::vector<Node> add(OpNode node);
  /// What the pipeline hands out, in this order. @throws ArgumentError when empty, or for a node of another graph.
  void set_outputs(std::vector<Node> outputs);

  /// The operators in the order in which they were added; Node::op is a position in this list.
  const std::vector<OpNode>& nodes() const { return nodes_; }
  /// What set_outputs() was given.
  const std::vector<Node>& outputs() const { return outputs_; }
  /// The graph as JSON: everything that decides results, nothing else (no origins). Two graphs with one text do the
  /// same.
  std::string to_json() const;
  /// The inverse of to_json. @throws DataError for text that is not such a graph.
  static Graph from_json(const std::string& text);

 private:
  std::vector<OpNode> nodes_;
  std::vector<Node> outputs_;
};

}  // namespace penstock
