// Extents of a tensor: up to eight dimensions, stored in place so that a shape never allocates.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace penstock {

inline constexpr int kMaxDims = 8;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  /// @throws ArgumentError for more than kMaxDims extents.
  explicit Shape(std::span<const int64_t> extents);

  int ndim() const { return ndim_; }
  int64_t operator[](int i) const { return extents_[static_cast<size_t>(i)]; }
  int64_t& operator[](int i) { return extents_[static_cast<size_t>(i)]; }
  const int64_t* begin() const { return extents_.data(); }
  const int64_t* end() const { return extents_.data() + ndim_; }
  /// Number of elements; 1 for a scalar. @throws ArgumentError when it is beyond any memory.
  int64_t volume() const;
  /// @throws ArgumentError when the shape is full.
  void push_back(int64_t extent);
  void insert(int axis, int64_t extent);
  void erase(int axis);

  friend bool operator==(const Shape& a, const Shape& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  std::array<int64_t, kMaxDims> extents_{};
  int ndim_ = 0;
};

/// "(3, 224, 224)"
std::string to_string(const Shape& shape);

}  // namespace penstock
