// Python values as arguments of operators.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>

#include <penstock/arg_value.h>

namespace penstock::bindings {

namespace nb = nanobind;

/// Numbers, strings, paths, lists of them, nested or not, dicts of what str() puts into words, and whatever has NumPy's
/// `tolist`.
/// @throws TypeError, ArgumentError; either names the argument
std::map<std::string, ArgValue> to_values(const nb::dict& args);
/// The same as Python's numbers, strings and lists.
nb::dict from_values(const std::map<std::string, ArgValue>& values);

}  // namespace penstock::bindings
