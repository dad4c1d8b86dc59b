// Copies between N-dimensional views with arbitrary strides: what transpose, indexing, joining and padding have in
// common.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <penstock/shape.h>

namespace penstock::kernels {

/// Distance between neighbours along each axis, in elements; 0 repeats, negative walks backwards.
using Strides = std::array<int64_t, kMaxDims>;

/// Strides of a dense row-major tensor.
Strides dense_strides(const Shape& shape);

/// Writes `shape` elements of `element` bytes (1, 2, 4 or 8) from `src` to `dst`. Both point at the element with index
/// zero; they must not overlap.
void strided_copy(const Shape& shape, size_t element, const std::byte* src, const Strides& src_strides, std::byte* dst,
                  const Strides& dst_strides);

/// Fills `n` elements with the element at `value`.
void fill(std::byte* dst, const std::byte* value, size_t element, int64_t n);

}  // namespace penstock::kernels
