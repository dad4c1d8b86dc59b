#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/rows/job.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;

template <class In, class Out>
__global__ void __launch_bounds__(kThreads) rows_kernel(const kernels::RowsJob* jobs) {
  const kernels::RowsJob job = jobs[blockIdx.y];
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; at < job.rows * job.outputs;
       at += stride) {
    const int64_t row = at / job.outputs;
    const auto i = static_cast<int>(at - row * job.outputs);
    const In* in = static_cast<const In*>(job.in) + row * job.inputs;
    float sum = 0;
    for (int k = 0; k < job.inputs; ++k) {
      const auto number = static_cast<float>(in[k]);
      if (job.refused && !isfinite(number)) *job.refused = 1;
      sum += __ldg(job.matrix + i * job.inputs + k) * number;
    }
    static_cast<Out*>(job.out)[at] = convert<Out>(sum + __ldg(job.offset + i));
  }
}

void launch_rows(const device::JobBatch<kernels::RowsJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto blocks = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 4096));
  const auto start = [&]<class In, class Out>(Type<In>, Type<Out>) {
    in_slices(batch.count, [&](int first, unsigned slice) {
      rows_kernel<In, Out><<<dim3(blocks, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  };
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, float>(batch.in, [&](auto from) {
    if (batch.in == batch.out) return start(from, from);
    start(from, Type<float>{});
  });
  check_launch("mapping the rows of a batch");
}

}  // namespace

using kernels::kRows;
PENSTOCK_KERNEL(kRows, launch_rows)

}  // namespace penstock::cuda
