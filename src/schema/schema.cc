#include "schema/schema.h"

#include "core/check.h"
#include "schema/take_constant.h"

namespace penstock {

const ArgSpec* OpSchema::arg(const std::string& name) const {
  for (const ArgSpec& spec : args)
    if (spec.name == name) return &spec;
  return nullptr;
}

void Description::add_input(std::string_view name, const Names& layouts, std::string_view doc) {
  schema_.inputs.push_back(
      {.name = std::string(name), .layouts = {layouts.begin(), layouts.end()}, .doc = std::string(doc)});
}

void Description::add_output(std::string_view name, std::string_view doc) {
  schema_.outputs.push_back({std::string(name), std::string(doc)});
}

void Description::add_arg(std::string_view name, ArgType type, ArgValue fallback, std::string_view doc,
                          unsigned flags) {
  schema_.args.push_back({std::string(name), type, std::move(fallback), std::string(doc), flags});
}

void Description::add_field(std::string_view name, Setter set) {
  fields_->push_back({std::string(name), std::move(set)});
}

void Description::name_outputs(std::string_view arg) {
  schema_.outputs_by = arg;
  schema_.count_outputs = [name = std::string(arg)](const OpSpec& spec) {
    Dict outputs;
    take_constant(spec, name, outputs);
    PENSTOCK_CHECK(!outputs.empty(), ArgumentError, "`{}` names no output", name);
    return static_cast<int>(outputs.size());
  };
}

}  // namespace penstock
