#include "cuda/jpeg/stuffing/stuffing.cuh"

#include "cuda/jpeg/launches.h"
#include "cuda/runtime/check.h"

namespace penstock::cuda {

void free_jpeg_of_stuffing(cudaStream_t stream, ScanJob* jobs, int count) {
  stuffing_kernel<<<static_cast<unsigned>(count), kStuffingThreads, 0, stream>>>(jobs);
  check_launch("freeing a batch of JPEG files of stuffed bytes");
}

}  // namespace penstock::cuda
