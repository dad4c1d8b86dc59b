// Tensors cut along an axis, and put together again.
#pragma once

#include <span>
#include <vector>

#include "parallel/lane.h"

namespace penstock::parallel {

/// The axis that `dim`, perhaps negative, means. @throws ArgumentError for a tensor that has none.
int axis_of(const TensorDesc& desc, int dim);

/// Parts of these sizes, in the memory of the whole: they share it where their bytes lie in one piece.
std::vector<Tensor> cut_along(const Tensor& tensor, int axis, std::span<const int64_t> sizes,
                              std::span<const Lane> lanes);

/// What Group::gather promises.
Tensor joined(std::span<const Tensor> parts, int dim, const Lane& target, std::span<const Lane> lanes);

}  // namespace penstock::parallel
