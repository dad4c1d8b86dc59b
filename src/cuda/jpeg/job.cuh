// Which file is a thread block's, in launches with the files along the grid's y.
#pragma once

#include <cstdint>

#include "codec/jpeg/scan_job.h"

namespace penstock::cuda {

/// Copies the job of the thread block's file into shared memory; all threads wait for it.
template <unsigned kThreads>
__device__ inline void load_job(codec::jpeg::ScanJob& job, const codec::jpeg::ScanJob* jobs) {
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
}

}  // namespace penstock::cuda
