// Launches the search for the greatest or the least element under windows.
#include "cuda/kernels/extreme.cuh"

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

void launch_extreme(const device::JobBatch<kernels::ExtremeJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = strip_blocks(batch.most_elements, batch.count);
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&](auto type) {
    using T = typename decltype(type)::type;
    in_slices(batch.count, [&](int first, unsigned slice) {
      extreme_kernel<T><<<dim3(blocks, slice), kStripThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
  check_launch("finding extreme elements of a batch");
}

}  // namespace

using kernels::kExtreme;
PENSTOCK_KERNEL(kExtreme, launch_extreme)

}  // namespace penstock::cuda
