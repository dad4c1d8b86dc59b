// The launches behind Backend's kernels, one file each.
#pragma once

#include <cuda_runtime_api.h>

#include <penstock/dtype.h>

#include "device/jobs.h"

namespace penstock::cuda {

void copy_all(cudaStream_t stream, const device::CopyJob* jobs, int count, size_t most_bytes);
void gather(cudaStream_t stream, DType in, DType out, const device::GatherJob* jobs, int count, int64_t most_elements);
void resample(cudaStream_t stream, DType in, DType out, const device::ResampleJob* jobs, int count,
              int64_t most_elements);

}  // namespace penstock::cuda
