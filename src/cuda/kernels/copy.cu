#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/copy.cuh"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int64_t kBytesPerBlock = 64 << 10;

__global__ void __launch_bounds__(kThreads) copy_kernel(const device::CopyJob* jobs) {
  const device::CopyJob job = jobs[blockIdx.y];
  copy_bytes(static_cast<const char*>(job.from), static_cast<char*>(job.to), job.bytes);
}

void launch_copy(const device::JobBatch<device::CopyJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const int64_t parts = (batch.most_elements + kBytesPerBlock - 1) / kBytesPerBlock;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>(parts, 1024));
  in_slices(batch.count, [&](int first, unsigned slice) {
    copy_kernel<<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
  });
  check_launch("copying a batch");
}

}  // namespace

using device::kCopy;
PENSTOCK_KERNEL(kCopy, launch_copy)

}  // namespace penstock::cuda
