// Indices that are texts: a line of numbers for each record.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace penstock {

/// Lines that are not blank, at most: to make room for ten million places at once takes a third of the memory that
/// growing does. "0 0" is the shortest of them.
inline size_t most_index_lines(std::string_view text) {
  const auto ends = static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
  return std::min(ends + 1, text.size() / 4 + 1);
}

/// Calls visit(line, number) for each line that is not blank; lines are counted from 1.
template <class Visit>
void for_each_index_line(std::string_view text, Visit&& visit) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) visit(line, number);
  }
}

/// Takes a number that is not negative from the front of a line; false when there is none.
inline bool take_number(std::string_view& line, int64_t& value) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  line.remove_prefix(static_cast<size_t>(end - line.data()));
  return error == std::errc() && value >= 0;
}

inline bool is_end(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace penstock
