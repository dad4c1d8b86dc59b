// Launches of which the first half is waited for: when it has begun, the next batch's entropy decoding may.
#pragma once

#include <cuda_runtime_api.h>

#include "codec/jpeg/scan_job.h"
#include "cuda/runtime/check.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {

/// `strips` thread blocks of so many threads for each file.
/// @param half_begun is recorded, unless it is null, when half of the files have been begun
template <class Kernel>
void launch_in_halves(Kernel* kernel, unsigned strips, unsigned threads, cudaStream_t stream,
                      const codec::jpeg::ScanJob* jobs, int count, cudaEvent_t half_begun, const char* what) {
  const auto launch = [&](const codec::jpeg::ScanJob* some, int many, cudaEvent_t begun) {
    cudaLaunchAttribute begin{};
    begin.id = cudaLaunchAttributeLaunchCompletionEvent;
    begin.val.launchCompletionEvent.event = begun;
    in_slices(many, [&](int first, unsigned slice) {
      cudaLaunchConfig_t config{};
      config.gridDim = dim3(strips, slice);
      config.blockDim = dim3(threads);
      config.stream = stream;
      config.attrs = &begin;
      config.numAttrs = begun ? 1 : 0;
      check(cudaLaunchKernelEx(&config, kernel, some + first), what);
    });
  };
  const int first_half = half_begun ? (count + 1) / 2 : count;
  launch(jobs, first_half, half_begun);
  launch(jobs + first_half, count - first_half, nullptr);
}

}  // namespace penstock::cuda
