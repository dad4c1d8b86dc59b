// Memory for operators that make a whole batch at once.
#pragma once

#include <span>

#include <penstock/tensor.h>

namespace penstock {

/// One uninitialised tensor per descriptor, all in one block from the process's pool.
TensorList allocate_batch(std::span<const TensorDesc> descs);

}  // namespace penstock
