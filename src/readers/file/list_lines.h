// The lines of a list file: "path label".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace penstock {

/// Calls take(path, label) for each line that is not blank. The label is the last word and consists of digits; what is
/// before it, blanks at the front and inside included, is the path.
/// @throws ArgumentError "Cannot open: ..."; DataError that names list and line
void for_each_listed(const std::string& list_path, const std::function<void(std::string_view, int64_t)>& take);

/// Calls take(line) for each line that is not blank, without blanks at its end: a path.
/// @throws as for_each_listed
void for_each_path(const std::string& list_path, const std::function<void(std::string_view)>& take);

}  // namespace penstock
