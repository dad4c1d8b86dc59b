#include <algorithm>

#include "cuda/check.h"
#include "cuda/kernels.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;
constexpr size_t kBytesPerBlock = 64 << 10;

/// Blocks of one sample share it in strips. 16 bytes at a time where both ends allow it.
__global__ void copy_kernel(const device::CopyJob* jobs) {
  const device::CopyJob job = jobs[blockIdx.y];
  const auto aligned = (reinterpret_cast<uintptr_t>(job.from) | reinterpret_cast<uintptr_t>(job.to)) % 16 == 0;
  const size_t wide = aligned ? job.bytes / 16 : 0;
  const size_t stride = size_t{gridDim.x} * kThreads, first = blockIdx.x * size_t{kThreads} + threadIdx.x;
  for (size_t i = first; i < wide; i += stride) static_cast<uint4*>(job.to)[i] = static_cast<const uint4*>(job.from)[i];
  for (size_t i = wide * 16 + first; i < job.bytes; i += stride)
    static_cast<char*>(job.to)[i] = static_cast<const char*>(job.from)[i];
}

}  // namespace

void copy_all(cudaStream_t stream, const device::CopyJob* jobs, int count, size_t most_bytes) {
  if (!count || !most_bytes) return;
  const auto blocks = static_cast<unsigned>(std::min<size_t>((most_bytes + kBytesPerBlock - 1) / kBytesPerBlock, 1024));
  copy_kernel<<<dim3(blocks, static_cast<unsigned>(count)), kThreads, 0, stream>>>(jobs);
  check_launch("copying a batch");
}

}  // namespace penstock::cuda
