// Applies a function to every element of its operands, which may be of any type and repeat along axes.
#pragma once

#include <span>

#include "kernels/arithmetic/function.h"
#include "kernels/strided/strided.h"

namespace penstock::kernels {

struct Operand {
  const std::byte* data = nullptr;  ///< element with index zero
  DType dtype = DType::kNone;
  Strides strides{};  ///< along the axes of the result, in elements; 0 repeats
};

/// Writes the `shape` elements of the result densely to `out`.
/// @throws DataError for an integer division by zero.
void elementwise(const Computation& computation, std::span<const Operand> operands, const Shape& shape, std::byte* out);

}  // namespace penstock::kernels
