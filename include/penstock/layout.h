// What the axes of a tensor mean: one letter an axis, such as "HWC". Empty means "not said".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <penstock/shape.h>

namespace penstock {

class Layout {
 public:
  Layout() = default;
  /// @throws ArgumentError for more than kMaxDims letters.
  Layout(std::string_view letters);  // NOLINT: a layout is written as a string everywhere
  Layout(const char* letters) : Layout(std::string_view(letters)) {}

  int ndim() const { return ndim_; }
  bool empty() const { return ndim_ == 0; }
  char operator[](int i) const { return letters_[static_cast<size_t>(i)]; }
  /// Axis of that letter, or -1.
  int find(char letter) const;
  bool has(char letter) const { return find(letter) >= 0; }
  void insert(int axis, char letter);
  void erase(int axis);
  std::string_view view() const { return {letters_.data(), static_cast<size_t>(ndim_)}; }
  std::string str() const { return std::string(view()); }

  friend bool operator==(const Layout& a, const Layout& b) { return a.view() == b.view(); }

 private:
  std::array<char, kMaxDims> letters_{};
  int ndim_ = 0;
};

/// True when the two layouts hold the same letters in any order.
bool is_permutation(const Layout& a, const Layout& b);

}  // namespace penstock
