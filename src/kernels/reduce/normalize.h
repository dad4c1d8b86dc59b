// Elements moved and scaled by what a reduction found of their group.
#pragma once

#include <span>

#include <penstock/tensor.h>

#include "kernels/reduce/reduce.h"

namespace penstock::kernels {

/// out = (in - mean) * factor + shift, with a mean and a factor per group; saturates to the type of `out`. Both are
/// integers of up to 32 bits or float.
void normalize_groups(const TensorView& in, const ReducedAxes& axes, std::span<const float> means,
                      std::span<const float> factors, float shift, const TensorView& out);

}  // namespace penstock::kernels
