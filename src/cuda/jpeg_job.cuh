// A thread block's file: which one it is, and how many thread blocks a file has.
#pragma once

#include <algorithm>
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

/// Thread blocks of a file, each of which does part of its `turns`: with many files few, as who has read a job had
/// better do some of it, and files of another kind have as many.
inline unsigned strips_of(int64_t turns, int files) {
  constexpr int64_t kManyBlocks = 4096;
  return static_cast<unsigned>(std::clamp<int64_t>(kManyBlocks / files, 1, std::max<int64_t>(turns, 1)));
}

}  // namespace penstock::cuda
