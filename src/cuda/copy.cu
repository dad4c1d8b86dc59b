#include <algorithm>

#include "cuda/check.h"
#include "cuda/copy.cuh"
#include "cuda/kernels.h"
#include "cuda/slices.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;
constexpr size_t kBytesPerBlock = 64 << 10;

__global__ void __launch_bounds__(kThreads) copy_kernel(const device::CopyJob* jobs) {
  const device::CopyJob job = jobs[blockIdx.y];
  copy_bytes(static_cast<const char*>(job.from), static_cast<char*>(job.to), job.bytes);
}

}  // namespace

void copy_all(cudaStream_t stream, const device::CopyJob* jobs, int count, size_t most_bytes) {
  if (!count || !most_bytes) return;
  const auto blocks = static_cast<unsigned>(std::min<size_t>((most_bytes + kBytesPerBlock - 1) / kBytesPerBlock, 1024));
  in_slices(count, [&](int first, unsigned slice) {
    copy_kernel<<<dim3(blocks, slice), kThreads, 0, stream>>>(jobs + first);
  });
  check_launch("copying a batch");
}

}  // namespace penstock::cuda
