// Tensors in the memory of a device.
#pragma once

#include <penstock/tensor.h>

#include "parallel/lane.h"

namespace penstock::parallel {

/// New memory on the lane's device. Call written() when what makes its contents has been queued.
Tensor allocate(const Lane& lane, const TensorDesc& desc);

/// What is queued on the lane from now on may read the tensor, which is not overwritten before that is done.
void reading(const Tensor& tensor, const Lane& lane);

/// The contents are complete once what is queued on the lane by now is done.
void written(const Tensor& tensor, const Lane& lane);

/// Whether copies from the tensor outlive calls that queue them although nothing keeps its memory for them: memory that
/// is not of Penstock's pools.
bool is_foreign(const Tensor& tensor);

/// The tensor on the lane's device, to be read in its order: itself, or a copy.
Tensor placed(const Tensor& tensor, const Lane& lane);

}  // namespace penstock::parallel
