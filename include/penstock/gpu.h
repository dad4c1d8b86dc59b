/// @file
/// Batches in the memory of GPUs.
#pragma once

#include <string>

#include <penstock/error.h>
#include <penstock/tensor.h>

namespace penstock {

/// A kernel that ran in this process, of whatever library, has broken the GPU's context. RuntimeError in Python.
class DeviceLost : public Error {
  using Error::Error;
};

/// GPUs that pipelines can use; 0 where the driver, a GPU or the CUDA half of this library is missing.
int gpu_count();
/// Why gpu_count() is 0; empty when it is not.
std::string why_no_gpu();
/// What tells a GPU from all others, also of other processes and hosts. @throws ArgumentError when there is no such GPU
std::string gpu_uuid(int id);

/// Lets work that is queued on `cuda_stream` (a cudaStream_t) from now on read the batch: it waits for the batch to be
/// complete, and until the batch has been let go and that work is done, nothing overwrites it. The host does not wait.
/// Batches in host memory are complete already.
void read_on(const TensorList& batch, void* cuda_stream);

/// The batch with its samples side by side, as as_tensor() needs it: itself, or a copy in the same memory. The host
/// does not wait.
TensorList side_by_side(const TensorList& batch);

/// The batch in host memory: itself, or a copy for which the host waits.
TensorList to_host(const TensorList& batch);

}  // namespace penstock
