// Batches in the memory of GPUs.
#pragma once

#include <string>

#include <penstock/tensor.h>

namespace penstock {

/// GPUs that pipelines can use; 0 where the driver, a GPU or the CUDA half of this library is missing.
int gpu_count();
/// Why gpu_count() is 0; empty when it is not.
std::string why_no_gpu();

/// Lets work that is queued on `cuda_stream` (a cudaStream_t) from now on read the batch: it waits for the batch to be
/// complete, and until the batch has been let go and that work is done, nothing overwrites it. The host does not wait.
/// Batches in host memory are complete already.
void read_on(const TensorList& batch, void* cuda_stream);

/// The batch in host memory: itself, or a copy for which the host waits.
TensorList to_host(const TensorList& batch);

}  // namespace penstock
