// Regions of pictures on canvases.
#include "cuda/kernels/paste.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"

namespace penstock::cuda {
namespace {

template <class T>
void launch_paste_of(const device::JobBatch<PasteJob, kernels::PasteParameters>& batch) {
  constexpr int64_t kEach = int64_t{kPasteThreads} * kRunBytes / sizeof(T);
  const auto strips = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kEach - 1) / kEach, 16384));
  in_slices(batch.count, [&](int first, unsigned slice) {
    paste_kernel<T><<<dim3(strips, slice), kPasteThreads, 0, stream_of(batch)>>>(batch.jobs + first);
  });
}

void launch_paste(const device::JobBatch<PasteJob, kernels::PasteParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  switch (batch.parameters.element_bytes) {
    case 1:
      launch_paste_of<uint8_t>(batch);
      break;
    case 2:
      launch_paste_of<uint16_t>(batch);
      break;
    case 4:
      launch_paste_of<uint32_t>(batch);
      break;
    default:
      launch_paste_of<uint64_t>(batch);
  }
  check_launch("pasting regions onto a batch of canvases");
}

}  // namespace

using kernels::kPaste;
PENSTOCK_KERNEL(kPaste, launch_paste)

}  // namespace penstock::cuda
