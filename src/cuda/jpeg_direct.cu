#include "cuda/jpeg_direct.cuh"

#include <cstdint>

#include "cuda/jpeg_halves.cuh"
#include "cuda/kernels.h"

namespace penstock::cuda {

void make_jpeg_pixels_directly(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements,
                               cudaEvent_t half_begun) {
  const int64_t turns = most_elements / (kDirectBlocks * 64) + 1;  // pictures with three channels have a third of them
  launch_in_halves(direct_kernel, strips_of(turns, count), kDirectThreads, stream, jobs, count, half_begun,
                   "making pixels of a batch of JPEG files");
}

}  // namespace penstock::cuda
