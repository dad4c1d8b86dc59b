#include <penstock/layout.h>

#include <algorithm>

#include "core/check.h"

namespace penstock {

void Layout::refuse(std::string_view letters) {
  fail<ArgumentError>("layout \"{}\" has more than {} axes", letters, kMaxDims);
}

int Layout::find(char letter) const {
  for (int i = 0; i < ndim_; ++i)
    if (letters_[i] == letter) return i;
  return -1;
}

void Layout::insert(int axis, char letter) {
  std::string letters = str();
  letters.insert(static_cast<size_t>(axis), 1, letter);
  *this = Layout(letters);
}

void Layout::erase(int axis) {
  std::string letters = str();
  letters.erase(static_cast<size_t>(axis), 1);
  *this = Layout(letters);
}

bool is_permutation(const Layout& a, const Layout& b) {
  return std::is_permutation(a.view().begin(), a.view().end(), b.view().begin(), b.view().end());
}

}  // namespace penstock
