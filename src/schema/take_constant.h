// Constant arguments for what is decided before there is an operator: how many outputs a node has, which class makes
// it.
#pragma once

#include <string>
#include <variant>

#include <penstock/error.h>

#include "schema/operator.h"

namespace penstock {

/// Overwrites `field` with the constant argument `name` where it was given.
/// @throws TypeError that names the argument.
template <class T>
void take_constant(const OpSpec& spec, const std::string& name, T& field) {
  const auto given = spec.args.find(name);
  if (given == spec.args.end() || std::holds_alternative<std::monostate>(given->second)) return;
  try {
    assign(field, given->second);
  } catch (Error& e) {
    e.add_context({.argument = name});
    throw;
  }
}

}  // namespace penstock
