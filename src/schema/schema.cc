#include "schema/schema.h"

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

}  // namespace penstock
