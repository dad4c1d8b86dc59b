#include "cuda/jpeg_stuffing.cuh"

#include <algorithm>

#include "cuda/check.h"
#include "cuda/kernels.h"
#include "cuda/slices.h"

namespace penstock::cuda {

void free_jpeg_of_stuffing(cudaStream_t stream, const ScanJob* jobs, int count) {
  constexpr int kManyBlocks = 1024;  // what is left of a file then, the loop in the kernel takes
  const auto strips = static_cast<unsigned>(std::max(kManyBlocks / count, 1));
  in_slices(count, [&](int first, unsigned slice) {
    stuffing_kernel<<<dim3(strips, slice), kStuffingThreads, 0, stream>>>(jobs + first);
    check(cudaGetLastError(), "freeing a batch of JPEG files of stuffed bytes");
  });
}

}  // namespace penstock::cuda
