// Element-wise sums on the host, the oracle of the GPU's kernel.
#pragma once

#include <span>

#include <penstock/tensor.h>

namespace penstock::parallel {

/// out = parts[0] + parts[1] + ..., in that order, divided by their number for a mean. Floats of 16 bits are summed in
/// float and rounded once; sums of integers wrap around.
/// @throws TypeError for bool
void sum(std::span<const TensorView> parts, bool mean, const TensorView& out);

}  // namespace penstock::parallel
