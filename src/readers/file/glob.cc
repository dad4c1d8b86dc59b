#include "readers/file/glob.h"

#include <fnmatch.h>

namespace penstock {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool stands_for_itself(char c) {
  return static_cast<unsigned char>(c) < 0x80 && c != '*' && c != '?' && c != '[' && c != '\\';
}

}  // namespace

// Fifteen patterns are tried for every file, and fnmatch converts both strings to wide characters each time (about
// 0.5 us): for a million files the difference between 7 s and 0.1 s. So the common form is compared by hand.
Glob::Glob(std::string pattern, bool case_sensitive)
    : pattern_(std::move(pattern)),
      case_sensitive_(case_sensitive),
      plain_suffix_(!pattern_.empty() && pattern_[0] == '*' &&
                    std::all_of(pattern_.begin() + 1, pattern_.end(), stands_for_itself)) {}

bool Glob::matches(std::string_view name) const {
  if (plain_suffix_) return name.size() >= suffix().size() && equal_suffix(name.substr(name.size() - suffix().size()));
  return ::fnmatch(pattern_.c_str(), name.data(), case_sensitive_ ? 0 : FNM_CASEFOLD) == 0;
}

bool Glob::equal_suffix(std::string_view tail) const {
  if (case_sensitive_) return tail == suffix();
  return std::equal(tail.begin(), tail.end(), suffix().begin(), [](char a, char b) { return lower(a) == lower(b); });
}

}  // namespace penstock
