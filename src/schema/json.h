// Schemas as JSON: what Python, the stubs and the reference pages are made from.
#pragma once

#include <string>

#include "schema/schema.h"

namespace penstock {

/// A JSON object: name, doc, kind, inputs, outputs, outputs_vary (their number depends on arguments), args, aliases,
/// devices, random, keep, hidden, tolerance. `default` of an argument is null where none is given; enumerations are
/// numbers.
std::string schema_json(const OpSchema& schema);

}  // namespace penstock
