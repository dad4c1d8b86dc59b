/// @file
/// What the axes of a tensor mean: one letter an axis, such as "HWC". Empty means "not said".
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <penstock/shape.h>

namespace penstock {

/// Names of a tensor's axes, outermost first: up to kMaxDims letters.
class Layout {
 public:
  Layout() = default;  ///< not said
  /// @throws ArgumentError for more than kMaxDims letters.
  Layout(std::string_view letters)  // NOLINT: a layout is written as a string everywhere
      : ndim_(checked(letters)) {
    for (size_t i = 0; i < letters.size(); ++i) letters_[i] = letters[i];
  }
  /// Likewise.
  Layout(const char* letters) : Layout(std::string_view(letters)) {}

  int ndim() const { return ndim_; }         ///< number of letters
  bool empty() const { return ndim_ == 0; }  ///< no layout was said
  /// Letter of axis `i`, from 0 to ndim() - 1; not checked.
  char operator[](int i) const { return letters_[static_cast<size_t>(i)]; }
  /// Axis of that letter, or -1.
  int find(char letter) const;
  /// True when an axis has that letter.
  bool has(char letter) const { return find(letter) >= 0; }
  /// Puts a letter before axis `axis`, from 0 to ndim(). @throws ArgumentError when the layout is full.
  void insert(int axis, char letter);
  /// Takes the letter of that axis out, from 0 to ndim() - 1.
  void erase(int axis);
  /// The letters, for as long as the layout lives unchanged.
  std::string_view view() const { return {letters_.data(), static_cast<size_t>(ndim_)}; }
  /// The letters as a text of its own.
  std::string str() const { return std::string(view()); }

  /// The same letters in the same order.
  friend bool operator==(const Layout&, const Layout&) = default;

 private:
  /// The number of letters. @throws ArgumentError when there are too many
  static int checked(std::string_view letters) {
    if (letters.size() > kMaxDims) refuse(letters);
    return static_cast<int>(letters.size());
  }
  [[noreturn]] static void refuse(std::string_view letters);

  std::array<char, kMaxDims> letters_{};  // zeros behind the last
  int ndim_ = 0;
};

/// True when the two layouts hold the same letters in any order.
bool is_permutation(const Layout& a, const Layout& b);

}  // namespace penstock
