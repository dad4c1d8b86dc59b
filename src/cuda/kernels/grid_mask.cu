// Zeros in the squares of a grid.
#include "cuda/kernels/grid_mask.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

void launch_grid_mask(const device::JobBatch<GridMaskJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto start = [&]<class T>(Type<T>) {
    constexpr int64_t kEach = int64_t{kGridThreads} * kRunBytes / sizeof(T);
    const auto blocks = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kEach - 1) / kEach, 4096));
    with_index(batch.most_elements, [&]<class Index>(Type<Index>) {
      in_slices(batch.count, [&](int first, unsigned slice) {
        grid_mask_kernel<T, Index><<<dim3(blocks, slice), kGridThreads, 0, stream_of(batch)>>>(batch.jobs + first);
      });
    });
  };
  switch (batch.in) {  // elements are moved, whatever they mean
    case DType::kBool:
    case DType::kUInt8:
    case DType::kInt8:
      start(Type<uint8_t>());
      break;
    case DType::kUInt16:
    case DType::kInt16:
    case DType::kFloat16:
    case DType::kBFloat16:
      start(Type<uint16_t>());
      break;
    case DType::kUInt64:
    case DType::kInt64:
    case DType::kFloat64:
      start(Type<uint64_t>());
      break;
    default:
      start(Type<uint32_t>());
  }
  check_launch("masking a batch with grids");
}

}  // namespace

using kernels::kGridMask;
PENSTOCK_KERNEL(kGridMask, launch_grid_mask)

}  // namespace penstock::cuda
