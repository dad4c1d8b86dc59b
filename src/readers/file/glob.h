// Shell patterns for file names.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// "*.jpg", "img_??.png": `*` also matches a leading dot, as in DALI.
class Glob {
 public:
  Glob(std::string pattern, bool case_sensitive);
  /// `name` must be followed by a NUL.
  bool matches(std::string_view name) const;

 private:
  bool equal_suffix(std::string_view tail) const;
  std::string pattern_;
  std::string_view suffix() const { return std::string_view(pattern_).substr(1); }
  bool case_sensitive_;
  bool plain_suffix_;  // `*` and then letters that stand for themselves
};

/// True when one of the patterns matches.
inline bool matches_any(const std::vector<Glob>& globs, std::string_view name) {
  return std::any_of(globs.begin(), globs.end(), [&](const Glob& glob) { return glob.matches(name); });
}

}  // namespace penstock
