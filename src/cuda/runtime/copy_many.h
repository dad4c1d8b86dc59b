// Copies of many pieces by one call of CUDA.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "device/copy_job.h"

namespace penstock::cuda {

/// Whether the driver has it: since CUDA 12.8.
bool can_copy_many();
/// From pinned host memory. @throws std::runtime_error
void copy_many(cudaStream_t stream, std::span<const device::CopyJob> copies);

}  // namespace penstock::cuda
