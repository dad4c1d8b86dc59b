#include "schema/json.h"

#include <nlohmann/json.hpp>

#include <type_traits>

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(OpKind kind) {
  switch (kind) {
    case OpKind::kSample:
      return "sample";
    case OpKind::kBatch:
      return "batch";
    case OpKind::kReader:
      return "reader";
    case OpKind::kExternal:
      return "external";
  }
  return "";
}

Json to_json(const ArgValue& value) {
  return std::visit(
      [](const auto& v) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

Json to_json(const InputSpec& input) {
  return {{"name", input.name},         {"layouts", input.layouts},   {"doc", input.doc},
          {"optional", input.optional}, {"variadic", input.variadic}, {"holds", input.holds}};
}

Json to_json(const ArgSpec& arg) {
  return {{"name", arg.name},
          {"type", name_of(arg.type)},
          {"default", to_json(arg.fallback)},
          {"doc", arg.doc},
          {"per_sample", (arg.flags & kPerSample) != 0},
          {"required", (arg.flags & kRequired) != 0},
          {"hidden", (arg.flags & kHidden) != 0},
          {"ignored", (arg.flags & kIgnored) != 0},
          {"deprecated", (arg.flags & kDeprecated) != 0}};
}

Json to_json(const ExampleArg& arg) {
  if (arg.kind == ExampleArg::Kind::kData) return {{"data", to_json(arg.value)}};
  if (arg.kind == ExampleArg::Kind::kNode) return {{"node", to_json(arg.value)}};
  return to_json(arg.value);
}

}  // namespace

std::string schema_json(const OpSchema& schema) {
  Json inputs = Json::array(), outputs = Json::array(), args = Json::array(), example = Json::object();
  for (const InputSpec& input : schema.inputs) inputs.push_back(to_json(input));
  for (const OutputSpec& output : schema.outputs) outputs.push_back({{"name", output.name}, {"doc", output.doc}});
  for (const ArgSpec& arg : schema.args) args.push_back(to_json(arg));
  for (const ExampleArg& arg : schema.example) example[arg.name] = to_json(arg);
  const Json all = {{"name", schema.name},
                    {"doc", schema.doc},
                    {"kind", name_of(schema.kind)},
                    {"inputs", std::move(inputs)},
                    {"outputs", std::move(outputs)},
                    {"outputs_vary", schema.count_outputs != nullptr},
                    {"outputs_by", schema.outputs_by},
                    {"args", std::move(args)},
                    {"aliases", schema.aliases},
                    {"devices", schema.dali_devices},
                    {"random", schema.random},
                    {"keep", schema.keep},
                    {"hidden", schema.hidden},
                    {"tolerance", schema.tolerance},
                    {"example", std::move(example)},
                    {"host_only", schema.host_only},
                    {"differs", schema.differs}};
  return all.dump();
}

}  // namespace penstock
