// Tensors at the beginning of larger ones.
#include "cuda/kernels/pad.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

template <class T>
void launch_pad_of(const device::JobBatch<PadJob, kernels::PadParameters>& batch) {
  constexpr int64_t kEach = int64_t{kPadThreads} * kRunBytes / sizeof(T);
  const auto strips = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kEach - 1) / kEach, 4096));
  with_index(batch.most_elements, [&]<class Index>(Type<Index>) {
    in_slices(batch.count, [&](int first, unsigned slice) {
      pad_kernel<T, Index><<<dim3(strips, slice), kPadThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
}

void launch_pad(const device::JobBatch<PadJob, kernels::PadParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  switch (batch.parameters.element_bytes) {
    case 1:
      launch_pad_of<uint8_t>(batch);
      break;
    case 2:
      launch_pad_of<uint16_t>(batch);
      break;
    case 4:
      launch_pad_of<uint32_t>(batch);
      break;
    default:
      launch_pad_of<uint64_t>(batch);
  }
  check_launch("padding a batch");
}

}  // namespace

using kernels::kPad;
PENSTOCK_KERNEL(kPad, launch_pad)

}  // namespace penstock::cuda
