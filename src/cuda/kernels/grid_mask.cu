// Zeros in the squares of a grid: a thread an element, a block a piece of a row.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/grid/grid_mask.h"

namespace penstock::cuda {
namespace {

using kernels::GridMaskJob;

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads) grid_mask_kernel(const GridMaskJob* jobs) {
  __shared__ GridMaskJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  const int32_t line = job.columns * job.channels, blocks = (line + kThreads - 1) / kThreads;
  __shared__ Divider<int32_t> by_blocks, by_rows, by_channels;
  if (threadIdx.x == 0) by_blocks = Divider<int32_t>(max(blocks, 1));
  if (threadIdx.x == 32) by_rows = Divider<int32_t>(max(job.rows, 1));
  if (threadIdx.x == 64) by_channels = Divider<int32_t>(max(job.channels, 1));
  __syncthreads();
  const int32_t total = job.pictures * job.rows * blocks;  // fewer than the sample's elements
  for (int64_t block = blockIdx.x; block < total; block += gridDim.x) {
    const int32_t row = by_blocks.quotient(static_cast<int32_t>(block));
    const int32_t i = static_cast<int32_t>(block - row * blocks) * kThreads + static_cast<int32_t>(threadIdx.x);
    if (i >= line) continue;
    const int32_t picture = by_rows.quotient(row), y = row - picture * job.rows;
    const bool clears = job.grid.clears(by_channels.quotient(i) + job.first_column, y + job.first_row);
    static_cast<T*>(job.out)[int64_t{row} * line + i] =
        clears ? T{} : static_cast<const T*>(job.in)[job.row_in(picture, y) + i];
  }
}

void launch_grid_mask(const device::JobBatch<GridMaskJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 16384));
  const auto start = [&]<class T>(Type<T>) {
    in_slices(batch.count, [&](int first, unsigned slice) {
      grid_mask_kernel<T><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
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
