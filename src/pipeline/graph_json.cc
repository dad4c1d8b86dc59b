#include <penstock/graph.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/check.h"

namespace penstock {
namespace {

using nlohmann::json;

bool is_utf8(const std::string& text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) return true;
  try {
    return !json(text).dump().empty();
  } catch (const json::type_error&) {
    return false;
  }
}

// JSON has no infinities and would write null: they are {"real": "inf"}.
json json_of(double x) { return std::isfinite(x) ? json(x) : json{{"real", fmt::format("{}", x)}}; }
double real_from_json(const json& j) {
  return j.is_object() ? std::stod(j.at("real").get<std::string>()) : j.get<double>();
}

// Nor bytes that are no UTF-8, such as other encodings' names of files: {"bytes": [233, ...]}.
json json_of(const std::string& x) {
  return is_utf8(x) ? json(x) : json{{"bytes", std::vector<uint8_t>(x.begin(), x.end())}};
}
std::string text_from_json(const json& j) {
  if (j.is_string()) return j.get<std::string>();
  const auto bytes = j.at("bytes").get<std::vector<uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

json json_of(std::monostate) { return nullptr; }
template <class T>
json json_of(const T& x) {
  return x;
}
template <class T>
json json_of(const std::vector<T>& all) {
  json list = json::array();
  for (const T& x : all) list.push_back(json_of(x));
  return list;
}

json json_of(const Dict& all) {
  json pairs = json::array();
  for (const auto& [name, text] : all) pairs.push_back({json_of(name), json_of(text)});
  return {{"pairs", std::move(pairs)}};
}
Dict dict_from_json(const json& pairs) {
  Dict all;
  for (const json& pair : pairs) all.emplace_back(text_from_json(pair.at(0)), text_from_json(pair.at(1)));
  return all;
}

bool is_text(const json& j) { return j.is_string() || (j.is_object() && j.contains("bytes")); }
template <class T>
std::vector<T> list_from_json(const json& j, T (*convert)(const json&)) {
  std::vector<T> list;
  for (const json& one : j) list.push_back(convert(one));
  return list;
}

ArgValue value_from_json(const json& j) {
  if (j.is_null()) return {};
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<int64_t>();
  if (is_text(j)) return text_from_json(j);
  if (j.is_object() && j.contains("pairs")) return dict_from_json(j.at("pairs"));
  if (!j.is_array()) return real_from_json(j);
  if (std::ranges::all_of(j, [](const json& one) { return one.is_number_integer(); }))
    return j.get<std::vector<int64_t>>();
  if (std::ranges::any_of(j, is_text)) return list_from_json<std::string>(j, text_from_json);
  return list_from_json<double>(j, real_from_json);
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
      if (!std::holds_alternative<std::monostate>(value))
        j["args"][name] = std::visit([](const auto& x) { return json_of(x); }, value);
    for (const auto& [name, input] : node.arg_inputs) j["arg_inputs"][name] = node_to_json(input);
    if (!node.name.empty()) j["name"] = node.name;
    if (node.device != "cpu") j["device"] = node.device;
    if (node.preserve) j["preserve"] = true;
    if (node.when.op >= 0) j["when"] = node_to_json(node.when);
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
      if (j.contains("when")) node.when = node_from_json(j.at("when"));
      graph.add(std::move(node));
    }
    std::vector<Node> outputs;
    for (const json& output : whole.at("outputs")) outputs.push_back(node_from_json(output));
    graph.set_outputs(std::move(outputs));
    return graph;
  } catch (const json::exception& e) {
    fail<DataError>("this text is not a serialised pipeline: {}", e.what());
  } catch (const std::invalid_argument& e) {
    fail<DataError>("this text is not a serialised pipeline: {} is no number", e.what());
  }
}

}  // namespace penstock
