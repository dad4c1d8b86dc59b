// Launches correlation.
#include "cuda/kernels/filter.cuh"
#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

using kernels::FilterJob;

void launch_filter(const device::JobBatch<FilterJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = strip_blocks(batch.most_elements, batch.count);
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, __half, float, double>(
      batch.in, [&](auto type) {
        using In = typename decltype(type)::type;
        in_slices(batch.count, [&](int first, unsigned slice) {
          const dim3 grid(blocks, slice);
          if (batch.out == batch.in)
            filter_kernel<In, In><<<grid, kStripThreads, 0, stream_of(batch)>>>(batch.jobs + first);
          else
            filter_kernel<In, float><<<grid, kStripThreads, 0, stream_of(batch)>>>(batch.jobs + first);
        });
      });
  check_launch("filtering a batch");
}

}  // namespace

using kernels::kFilter;
PENSTOCK_KERNEL(kFilter, launch_filter)

}  // namespace penstock::cuda
