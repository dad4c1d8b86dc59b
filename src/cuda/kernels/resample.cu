#include "cuda/kernels/resample.cuh"

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

void launch_resample(const device::JobBatch<kernels::ResampleJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = blocks_of_job(batch.most_elements, kResampleThreads, batch.count);
  among<uint8_t, int16_t, uint16_t, float>(batch.in, [&](auto from) {
    with_index(batch.most_elements, [&](auto index) {
      using In = typename decltype(from)::type;
      using Index = typename decltype(index)::type;
      auto* kernel = batch.out == DType::kFloat ? resample_kernel<In, float, Index> : resample_kernel<In, In, Index>;
      in_slices(batch.count, [&](int first, unsigned slice) {
        kernel<<<dim3(blocks, slice), kResampleThreads, 0, stream_of(batch)>>>(batch.jobs + first);
      });
    });
  });
  check_launch("resampling a batch");
}

}  // namespace

using kernels::kResample;
PENSTOCK_KERNEL(kResample, launch_resample)

}  // namespace penstock::cuda
