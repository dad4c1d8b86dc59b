#include "cuda/kernels/reduction.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

// Beyond these, the thread blocks that there are take more results.
constexpr int64_t kMostBlocks = 4096;

void launch_reduction(const device::JobBatch<kernels::ReductionJob, kernels::ReductionParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min(std::max<int64_t>(batch.parameters.most_parts, 1), kMostBlocks));
  const auto start = [&]<class In>(Type<In>) {
    in_slices(batch.count, [&](int first, unsigned slice) {
      const std::byte* jobs = first_job(batch) + static_cast<size_t>(first) * batch.stride;
      reduction_kernel<In><<<dim3(blocks, slice), kReductionThreads, 0, stream_of(batch)>>>(jobs, batch.stride, batch.out);
    });
  };
  if (batch.in == DType::kBool)
    start(Type<uint8_t>());
  else
    among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, float, double>(batch.in, start);
  check_launch("reducing a batch");
}

}  // namespace

using kernels::kReduction;
PENSTOCK_KERNEL(kReduction, launch_reduction)

}  // namespace penstock::cuda
