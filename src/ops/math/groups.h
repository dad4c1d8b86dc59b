// The elements of a tensor in groups: those that differ only along the reduced axes belong together.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <penstock/tensor.h>

#include "ops/axes.h"

namespace penstock {

class Groups {
 public:
  Groups(const Shape& shape, const AxisList& reduced);

  /// Number of groups: the volume of the axes that are kept.
  int64_t count() const { return count_; }
  /// Elements in each group.
  int64_t size() const { return size_; }

  /// Adds the elements of each group to its sum. Integers of up to 32 bits, and float.
  void sum(const TensorView& input, std::span<double> sums) const;
  /// Adds the squared distances from each group's centre to its sum.
  void sum_squares(const TensorView& input, std::span<const float> centres, std::span<double> sums) const;
  /// out = (in - mean) * factor + shift, with a mean and a factor per group; saturates to the type of `out`.
  void normalize(const TensorView& input, std::span<const float> means, std::span<const float> factors, float shift,
                 const TensorView& out) const;

 private:
  struct Axis {
    int64_t extent = 1;
    int64_t stride = 0;  ///< between groups of neighbours; 0 along reduced axes
  };
  /// Calls fn(offset, group, n, stride) for each row: its first element, the group of that, and how groups go on.
  template <class Fn>
  void for_each_row(Fn&& fn) const {
    walk(0, 0, 0, fn);
  }
  template <class Fn>
  void walk(int axis, int64_t offset, int64_t group, Fn& fn) const {
    const Axis& a = axes_[static_cast<size_t>(axis)];
    if (axis == last_) return fn(offset * a.extent, group, a.extent, a.stride);
    for (int64_t i = 0; i < a.extent; ++i) walk(axis + 1, offset * a.extent + i, group + i * a.stride, fn);
  }

  std::array<Axis, kMaxDims> axes_;  // neighbours that are both kept or both reduced are joined
  int last_ = 0;
  int64_t count_ = 1, size_ = 1;
};

}  // namespace penstock
