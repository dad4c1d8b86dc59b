// All schemas as JSON: what Python, the stubs and the reference pages are made from.
#pragma once

#include <string>

#include "schema/registry.h"

namespace penstock {

/// A JSON list with one object per operator: name, doc, kind, inputs, outputs, outputs_vary (their number depends on
/// arguments), args, aliases, devices, random, keep, hidden, tolerance. `default` of an argument is null where none is
/// given; enumerations are numbers.
std::string schema_json(const Registry& registry);

/// The operators of this build.
inline std::string schema_json() { return schema_json(registry()); }

}  // namespace penstock
