#include "cuda/kernels/separable.cuh"

#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

using kernels::SeparableJob;
using kernels::SeparableParameters;

// Elements of a job for each thread block, and blocks beyond which those there are take more.
constexpr int64_t kPerBlock = 8 * kSeparableThreads;
constexpr int64_t kMostBlocks = 4096;

template <class In, class Out>
void launch_pass(const device::JobBatch<SeparableJob, SeparableParameters>& batch, int32_t p) {
  const int64_t most = batch.parameters.most_elements[p];
  if (most == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((most + kPerBlock - 1) / kPerBlock, kMostBlocks));
  in_slices(batch.count, [&](int first, unsigned slice) {
    const std::byte* jobs = first_job(batch) + static_cast<size_t>(first) * batch.stride;
    separable_kernel<In, Out><<<dim3(blocks, slice), kSeparableThreads, 0, stream_of(batch)>>>(jobs, batch.stride, p);
  });
  check_launch("filtering a batch");
}

void launch_separable(const device::JobBatch<SeparableJob, SeparableParameters>& batch) {
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&]<class In>(Type<In>) {
    const auto start = [&]<class Out>(Type<Out>) {
      launch_pass<In, Out>(batch, 0);
      for (int32_t p = 1; p < batch.parameters.passes; ++p) launch_pass<float, Out>(batch, p);
    };
    if (batch.in == batch.out)
      start(Type<In>());
    else
      among<float>(batch.out, start);
  });
}

}  // namespace

using kernels::kSeparable;
PENSTOCK_KERNEL(kSeparable, launch_separable)

}  // namespace penstock::cuda
