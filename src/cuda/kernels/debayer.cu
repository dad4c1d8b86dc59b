// Colours of sensors: a thread a pixel.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/debayer/debayer.h"

namespace penstock::cuda {
namespace {

using kernels::DebayerJob;

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads) debayer_kernel(const DebayerJob* jobs) {
  const DebayerJob job = jobs[blockIdx.y];
  const int32_t blocks = (job.columns + kThreads - 1) / kThreads;
  const int64_t rows = static_cast<int64_t>(job.pictures) * job.rows;
  for (int64_t block = blockIdx.x; block < rows * blocks; block += gridDim.x) {
    const int64_t row = block / blocks, picture = row / job.rows;
    const int32_t x = static_cast<int32_t>(block - row * blocks) * kThreads + static_cast<int32_t>(threadIdx.x);
    if (x >= job.columns) continue;
    const int32_t from_x = kernels::with_neighbours(x, job.columns);
    const int32_t from_y = kernels::with_neighbours(static_cast<int32_t>(row - picture * job.rows), job.rows);
    const T* at = static_cast<const T*>(job.in) + (picture * job.rows + from_y) * job.columns + from_x;
    kernels::debayer_pixel(job, at, (from_y & 1) == job.blue_row, (from_x & 1) == job.blue_column,
                           static_cast<T*>(job.out) + (row * job.columns + x) * job.channels());
  }
}

void launch_debayer(const device::JobBatch<DebayerJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks =
      static_cast<unsigned>(std::min<int64_t>((batch.most_elements / 3 + kThreads - 1) / kThreads, 16384));
  among<uint8_t, uint16_t>(batch.in, [&](auto type) {
    using T = typename decltype(type)::type;
    in_slices(batch.count, [&](int first, unsigned slice) {
      debayer_kernel<T><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
  check_launch("finding the colours of a batch");
}

}  // namespace

using kernels::kDebayer;
PENSTOCK_KERNEL(kDebayer, launch_debayer)

}  // namespace penstock::cuda
