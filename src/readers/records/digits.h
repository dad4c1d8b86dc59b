// Numbers for texts that are put together in the memory of a sample.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace penstock {

/// A number in digits.
class Digits {
 public:
  explicit Digits(int64_t value) : end_(std::to_chars(text_.data(), text_.data() + text_.size(), value).ptr) {}
  operator std::string_view() const { return {text_.data(), static_cast<size_t>(end_ - text_.data())}; }

 private:
  std::array<char, 20> text_;
  char* end_;
};

}  // namespace penstock
