// Lists of a few items that lie where the list does: what is made for every sample should ask for no memory.
#pragma once

#include <array>
#include <cstddef>

#include "core/check.h"

namespace penstock {

/// At most `kMost` items.
template <class T, size_t kMost>
class SmallList {
 public:
  SmallList() = default;
  SmallList(size_t size, const T& value) {
    while (size_ < size) push_back(value);
  }
  /// @throws InternalError when the list is full.
  void push_back(const T& item) {
    PENSTOCK_CHECK(size_ < kMost, InternalError, "a list for {} items is full", kMost);
    items_[size_++] = item;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  const T& back() const { return items_[size_ - 1]; }
  T* begin() { return items_.data(); }
  T* end() { return items_.data() + size_; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, kMost> items_{};
  size_t size_ = 0;
};

}  // namespace penstock
