/// @file
/// Extents of a tensor: up to eight dimensions, stored in place so that a shape never allocates.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace penstock {

/// Dimensions that a tensor may have at most.
inline constexpr int kMaxDims = 8;

/// Extents in elements, outermost first.
class Shape {
 public:
  Shape() = default;  ///< of a scalar: no dimensions
  /// @throws ArgumentError for more than kMaxDims extents.
  Shape(std::initializer_list<int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
  /// @throws ArgumentError for more than kMaxDims extents.
  explicit Shape(std::span<const int64_t> extents) : ndim_(static_cast<int>(extents.size())) {
    if (extents.size() > kMaxDims) refuse_rank();
    for (size_t i = 0; i < extents.size(); ++i) extents_[i] = extents[i];
  }

  int ndim() const { return ndim_; }  ///< number of dimensions
  /// Extent of dimension `i`, from 0 to ndim() - 1; not checked.
  int64_t operator[](int i) const { return extents_[static_cast<size_t>(i)]; }
  /// Likewise, to be changed.
  int64_t& operator[](int i) { return extents_[static_cast<size_t>(i)]; }
  const int64_t* begin() const { return extents_.data(); }        ///< the outermost extent
  const int64_t* end() const { return extents_.data() + ndim_; }  ///< behind the innermost extent
  /// Number of elements; 1 for a scalar. @throws ArgumentError when it is beyond any memory.
  int64_t volume() const {
    int64_t product = 1;
    bool fits = true;
    for (int64_t extent : *this) fits = fits && !__builtin_mul_overflow(product, extent, &product);
    if (!fits || product > kMaxVolume) refuse_volume();
    return product;
  }
  /// Adds an innermost dimension. @throws ArgumentError when the shape is full.
  void push_back(int64_t extent);
  /// Puts a dimension before dimension `axis`, from 0 to ndim(). @throws ArgumentError when the shape is full.
  void insert(int axis, int64_t extent);
  /// Takes a dimension out, from 0 to ndim() - 1.
  void erase(int axis);

  /// The same extents in the same order.
  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.ndim_ != b.ndim_) return false;
    for (int i = 0; i < a.ndim_; ++i)  // in place: calling memcmp for two numbers takes longer than comparing them
      if (a[i] != b[i]) return false;
    return true;
  }

 private:
  // With elements of up to eight bytes, the size in bytes still fits.
  static constexpr int64_t kMaxVolume = int64_t{1} << 59;
  [[noreturn]] static void refuse_rank();
  [[noreturn]] void refuse_volume() const;

  std::array<int64_t, kMaxDims> extents_{};
  int ndim_ = 0;
};

/// "(3, 224, 224)"
std::string to_string(const Shape& shape);

}  // namespace penstock
