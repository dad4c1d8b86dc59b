// Sums, extremes and squares of the elements of a tensor along some of its axes.
#pragma once

#include <cstdint>
#include <span>

#include <penstock/tensor.h>

namespace penstock::kernels {

/// A tensor's axes in two kinds, neighbours of one kind joined: groups of elements differ along the kept axes, and an
/// element's place in its group is told by the reduced ones.
struct ReducedAxes {
  struct Axis {
    int64_t extent = 1;
    int64_t groups = 0;  ///< so many groups from one element to the next; 0 along reduced axes
  };
  /// @param reduced one flag for each axis of `shape`
  ReducedAxes(const Shape& shape, std::span<const bool> reduced);

  Axis axes[kMaxDims];
  int count = 0;       ///< of axes
  int64_t groups = 1;  ///< number of groups
  int64_t size = 1;    ///< elements of a group
};

/// Sums of each group: exact 64-bit integers for integer types (modulo 2^64), else double precision.
void reduce_sum(const TensorView& in, const ReducedAxes& axes, int64_t* sums);
void reduce_sum(const TensorView& in, const ReducedAxes& axes, double* sums);
/// Sums of squared distances from each group's centre; from 0 where `centres` is null.
void reduce_squares(const TensorView& in, const ReducedAxes& axes, const double* centres, double* sums);
/// The least or largest element of each group, of the tensor's type: of an empty group the highest or lowest value that
/// the type has. NaN spreads to its group's result.
void reduce_extreme(const TensorView& in, const ReducedAxes& axes, bool largest, std::byte* extremes);

}  // namespace penstock::kernels
