#include "cuda/kernels/gather.cuh"

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

void launch_gather(const device::JobBatch<kernels::GatherJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = blocks_of_job(batch.most_elements, kGatherThreads * kGatherEach, batch.count);
  const auto start = [&]<class In, class Out>(Type<In>, Type<Out>) {
    with_index(batch.most_elements, [&]<class Index>(Type<Index>) {
      in_slices(batch.count, [&](int first, unsigned slice) {
        gather_kernel<In, Out, Index><<<dim3(blocks, slice), kGatherThreads, 0, stream_of(batch)>>>(batch.jobs + first);
      });
    });
  };
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, __half, float, double, bool>(
      batch.in, [&](auto from) {
        if (batch.in == batch.out) return start(from, from);
        among<uint8_t, int8_t, float, __half>(batch.out, [&](auto to) { start(from, to); });
      });
  check_launch("gathering a batch");
}

}  // namespace

using kernels::kGather;
PENSTOCK_KERNEL(kGather, launch_gather)

}  // namespace penstock::cuda
