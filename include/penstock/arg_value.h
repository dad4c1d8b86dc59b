/// @file
/// Argument values as a graph carries them: what Python, C++ and a checkpoint can all say.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {

/// Names with a text for each, in order: Python's dict.
using Dict = std::vector<std::pair<std::string, std::string>>;

/// monostate is Python's None: "not given". Enumerations travel as integers.
using ArgValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                              std::vector<double>, std::vector<std::string>, Dict>;

}  // namespace penstock
