#include <penstock/graph.h>

#include <nlohmann/json.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using nlohmann::json;

json value_to_json(const ArgValue& value) {
  return std::visit(
      [](const auto& x) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::monostate>) {
          return nullptr;
        } else {
          return x;
        }
      },
      value);
}

ArgValue value_from_json(const json& j) {
  if (j.is_null()) return {};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  if (j.empty() || j[0].is_number_integer()) return j.get<std::vector<int64_t>>();
  if (j[0].is_number()) return j.get<std::vector<double>>();
  return j.get<std::vector<std::string>>();
}

json node_to_json(const Node& node) {
  return node.on_gpu ? json::array({node.op, node.output, true}) : json::array({node.op, node.output});
}
Node node_from_json(const json& j) { return {j.at(0).get<int>(), j.at(1).get<int>(), j.size() > 2}; }

}  // namespace

std::string Graph::to_json() const {
  json ops = json::array();
  for (const OpNode& node : nodes_) {
    json j = {{"op", node.op}};
    for (const Node& input : node.inputs) j["inputs"].push_back(node_to_json(input));
    for (const auto& [name, value] : node.args)
      if (!std::holds_alternative<std::monostate>(value)) j["args"][name] = value_to_json(value);
    for (const auto& [name, input] : node.arg_inputs) j["arg_inputs"][name] = node_to_json(input);
    if (!node.name.empty()) j["name"] = node.name;
    if (node.device != "cpu") j["device"] = node.device;
    if (node.preserve) j["preserve"] = true;
    ops.push_back(std::move(j));
  }
  json outputs = json::array();
  for (const Node& output : outputs_) outputs.push_back(node_to_json(output));
  return json{{"ops", std::move(ops)}, {"outputs", std::move(outputs)}}.dump();
}

Graph Graph::from_json(const std::string& text) {
  try {
    const json whole = json::parse(text);
    Graph graph;
    for (const json& j : whole.at("ops")) {
      OpNode node{.op = j.at("op").get<std::string>()};
      const json inputs = j.value("inputs", json::array());
      const json args = j.value("args", json::object()), arg_inputs = j.value("arg_inputs", json::object());
      for (const json& input : inputs) node.inputs.push_back(node_from_json(input));
      for (const auto& [name, value] : args.items()) node.args[name] = value_from_json(value);
      for (const auto& [name, input] : arg_inputs.items()) node.arg_inputs[name] = node_from_json(input);
      node.name = j.value("name", "");
      node.device = j.value("device", "cpu");
      node.preserve = j.value("preserve", false);
      graph.add(std::move(node));
    }
    std::vector<Node> outputs;
    for (const json& output : whole.at("outputs")) outputs.push_back(node_from_json(output));
    graph.set_outputs(std::move(outputs));
    return graph;
  } catch (const json::exception& e) {
    fail<DataError>("this text is not a serialised pipeline: {}", e.what());
  }
}

}  // namespace penstock
