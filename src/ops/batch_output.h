// Memory for operators that make a whole batch at once.
#pragma once

#include <functional>
#include <span>

#include <penstock/tensor.h>

namespace penstock {

/// One uninitialised tensor per descriptor, all in one block from the process's pool, or from `allocate`.
TensorList allocate_batch(std::span<const TensorDesc> descs, const std::function<Buffer(size_t bytes)>& allocate = {});

}  // namespace penstock
