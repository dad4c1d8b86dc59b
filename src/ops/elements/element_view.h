// Where the elements of an operand stand in a result.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/strided/strided.h"
#include "schema/sample.h"

namespace penstock {

/// Which element of a tensor stands at an element of the result: along each axis of the result one axis of the tensor
/// is walked, from `start` on. Axes of the tensor that no axis walks along stay at their start.
struct ElementView {
  std::array<int, kMaxDims> axis{};       ///< of the tensor, per axis of the result; -1: it repeats
  std::array<int64_t, kMaxDims> step{};   ///< likewise
  std::array<int64_t, kMaxDims> start{};  ///< per axis of the tensor

  /// Equal axes, the last ones where the tensor has fewer; those of extent 1 repeat.
  static ElementView broadcast(const Shape& tensor, const Shape& result);
  /// Of the first element, and between neighbours along each axis of the result, where the tensor has these strides.
  int64_t offset(const kernels::Strides& tensor) const;
  kernels::Strides strides(const kernels::Strides& tensor) const;
  /// This view of a tensor that is itself seen through `inner`.
  ElementView of(const ElementView& inner, int inner_dims) const;
};

/// What a sample's value holds.
TensorDesc held_part(const Value& value);
/// How an operator that keeps the geometry sees its input.
ElementView view_in_place(const Value& in, const Value& out);

}  // namespace penstock
