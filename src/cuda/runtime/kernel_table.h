// The table of kernels, which src/cuda/CMakeLists.txt writes.
#pragma once

#include <span>

#include "cuda/runtime/kernel.h"

namespace penstock::cuda {

/// All kernels of this library.
std::span<const KernelRow> kernel_table();

}  // namespace penstock::cuda
