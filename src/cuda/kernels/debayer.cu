// Colours of sensors: a thread a pixel.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/debayer/debayer.h"
#include "kernels/debayer/vng.h"

namespace penstock::cuda {
namespace {

using kernels::DebayerJob;
using kernels::DebayerParameters;

constexpr int kThreads = 256;

/// @tparam kSomeVng  kernels that know this method hold more registers
template <class T, bool kSomeVng>
__global__ void __launch_bounds__(kThreads) debayer_kernel(const DebayerJob* jobs) {
  const DebayerJob job = jobs[blockIdx.y];
  const int32_t blocks = (job.columns + kThreads - 1) / kThreads;
  const int64_t rows = static_cast<int64_t>(job.pictures) * job.rows;
  for (int64_t block = blockIdx.x; block < rows * blocks; block += gridDim.x) {
    const int64_t row = block / blocks, picture = row / job.rows;
    const int32_t x = static_cast<int32_t>(block - row * blocks) * kThreads + static_cast<int32_t>(threadIdx.x);
    if (x >= job.columns) continue;
    T* const out = static_cast<T*>(job.out) + (row * job.columns + x) * job.channels();
    if constexpr (kSomeVng)
      if (job.method == kernels::DebayerMethod::kVng) {
        const T* sensor = static_cast<const T*>(job.in) + picture * job.rows * job.columns;
        kernels::vng_pixel(job, sensor, static_cast<int32_t>(row - picture * job.rows), x, out);
        continue;
      }
    const int32_t from_x = kernels::with_neighbours(x, job.columns);
    const int32_t from_y = kernels::with_neighbours(static_cast<int32_t>(row - picture * job.rows), job.rows);
    const T* at = static_cast<const T*>(job.in) + (picture * job.rows + from_y) * job.columns + from_x;
    kernels::debayer_pixel(job, at, (from_y & 1) == job.blue_row, (from_x & 1) == job.blue_column, out);
  }
}

template <class T, bool kSomeVng>
void launch_as(const device::JobBatch<DebayerJob, DebayerParameters>& batch) {
  const auto blocks =
      static_cast<unsigned>(std::min<int64_t>((batch.most_elements / 3 + kThreads - 1) / kThreads, 16384));
  in_slices(batch.count, [&](int first, unsigned slice) {
    debayer_kernel<T, kSomeVng><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
  });
}

void launch_debayer(const device::JobBatch<DebayerJob, DebayerParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  if (batch.parameters.some_vng)
    among<uint8_t>(batch.in, [&](auto) { launch_as<uint8_t, true>(batch); });
  else
    among<uint8_t, uint16_t>(batch.in, [&](auto type) { launch_as<typename decltype(type)::type, false>(batch); });
  check_launch("finding the colours of a batch");
}

}  // namespace

using kernels::kDebayer;
PENSTOCK_KERNEL(kDebayer, launch_debayer)

}  // namespace penstock::cuda
