#include "graph.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <penstock/graph.h>

#include "arguments.h"
#include "schema/json.h"
#include "schema/reader.h"
#include "schema/registry.h"

namespace penstock::bindings {
namespace {

using NodePair = std::pair<int, int>;

Node to_node(NodePair pair) { return {pair.first, pair.second}; }

std::vector<Node> to_nodes(const std::vector<NodePair>& pairs) {
  std::vector<Node> nodes;
  for (const NodePair& pair : pairs) nodes.push_back(to_node(pair));
  return nodes;
}

std::vector<NodePair> to_pairs(const std::vector<Node>& nodes) {
  std::vector<NodePair> pairs;
  for (const Node& node : nodes) pairs.emplace_back(node.op, node.output);
  return pairs;
}

std::vector<NodePair> add(Graph& graph, std::string op, const std::vector<NodePair>& inputs, const nb::dict& args,
                          const std::map<std::string, NodePair>& arg_inputs, std::string name, std::string device,
                          std::string origin, bool preserve, const std::optional<NodePair>& when) {
  OpNode node{.op = std::move(op),
              .inputs = to_nodes(inputs),
              .name = std::move(name),
              .device = std::move(device),
              .origin = std::move(origin),
              .preserve = preserve};
  try {
    node.args = to_values(args);
  } catch (Error& e) {
    e.add_context({.op = node.op, .origin = node.origin});
    throw;
  }
  for (const auto& [argument, from] : arg_inputs) node.arg_inputs.emplace(argument, to_node(from));
  if (when) node.when = to_node(*when);
  return to_pairs(graph.add(std::move(node)));
}

void set_outputs(Graph& graph, const std::vector<NodePair>& pairs, const std::vector<bool>& on_gpu) {
  std::vector<Node> nodes = to_nodes(pairs);
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i].on_gpu = on_gpu[i];
  graph.set_outputs(std::move(nodes));
}

int num_outputs(const std::string& op, const nb::dict& args, std::vector<std::string> arg_inputs, int num_inputs) {
  const OpSchema& schema = registry().at(op);
  try {
    return schema.num_outputs({.args = to_values(args), .arg_inputs = std::move(arg_inputs), .num_inputs = num_inputs});
  } catch (Error& e) {
    e.add_context({.op = op});
    throw;
  }
}

/// The classes that a reader knows before it reads samples; empty where it knows none.
nb::list labels_of_reader(const std::string& op, const nb::dict& args) {
  OpSpec spec{.args = to_values(args), .reader = 0};
  spec.args["lazy_init"] = true;
  try {
    const std::unique_ptr<Operator> made = registry().at(op).make(spec);
    nb::list labels;
    if (const Reader* reader = made->traits().reader)
      for (const int32_t label : reader->labels()) labels.append(label);
    return labels;
  } catch (Error& e) {
    e.add_context({.op = op});
    throw;
  }
}

/// The operators of a graph as Python reads them: (op, name, device, args).
std::vector<nb::tuple> nodes_of(const Graph& graph) {
  std::vector<nb::tuple> nodes;
  for (const OpNode& node : graph.nodes())
    nodes.push_back(nb::make_tuple(node.op, node.name, node.device, from_values(node.args)));
  return nodes;
}

}  // namespace

void bind_graph(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Graph>(m, "Graph")
      .def(nb::init<>())
      .def("add", &add, "op"_a, "inputs"_a, "args"_a, "arg_inputs"_a, "name"_a, "device"_a, "origin"_a, "preserve"_a,
           "when"_a = nb::none())
      .def("set_outputs", &set_outputs, "nodes"_a, "on_gpu"_a)
      .def_prop_ro("nodes", &nodes_of)
      .def_prop_ro("outputs_on_gpu",
                   [](const Graph& g) {
                     std::vector<bool> on_gpu;
                     for (const Node& node : g.outputs()) on_gpu.push_back(node.on_gpu);
                     return on_gpu;
                   })
      .def_prop_ro("outputs", [](const Graph& g) { return to_pairs(g.outputs()); })
      .def("to_json", &Graph::to_json)
      .def_static("from_json", &Graph::from_json);
  m.def("operators", [] {
    std::vector<std::tuple<std::string, std::vector<std::string>, bool>> all;
    for (const OpSchema* schema : registry().all()) all.emplace_back(schema->name, schema->aliases, schema->hidden);
    return all;
  });
  m.def(
      "schema_json", [](const std::string& op) { return schema_json(registry().at(op)); }, "op"_a);
  m.def("labels_of_reader", &labels_of_reader, "op"_a, "args"_a);
  m.def("num_outputs", &num_outputs, "op"_a, "args"_a, "arg_inputs"_a, "num_inputs"_a);
}

}  // namespace penstock::bindings
