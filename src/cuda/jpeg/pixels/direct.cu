#include "cuda/jpeg/pixels/direct.cuh"

#include <algorithm>
#include <cstdint>

#include "cuda/jpeg/halves.cuh"
#include "cuda/jpeg/launches.h"

namespace penstock::cuda {

void make_jpeg_pixels_directly(cudaStream_t stream, const ScanJob* jobs, int count, int64_t most_elements,
                               cudaEvent_t half_begun) {
  // Reading a job costs a thread block time, so each block should do a good part of it. The loop in the kernel takes
  // what a picture has beyond that.
  constexpr int64_t kManyBlocks = 4096;
  const int64_t most_strips = most_elements / 3 / (kDirectBlocks * 64) + 1;
  const auto strips = static_cast<unsigned>(std::clamp<int64_t>(kManyBlocks / count, 1, most_strips));
  launch_in_halves(direct_kernel, strips, kDirectThreads, stream, jobs, count, half_begun,
                   "making pixels of a batch of JPEG files");
}

}  // namespace penstock::cuda
