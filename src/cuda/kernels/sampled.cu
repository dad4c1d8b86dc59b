#include "cuda/kernels/sampled.cuh"

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"

namespace penstock::cuda {
namespace {

template <class Map>
void launch_sampled(const device::JobBatch<kernels::SampledJob<Map>>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = blocks_of_job(batch.most_elements, sampled_each(batch.in), batch.count);
  const auto start = [&]<class In, class Out>(Type<In>, Type<Out>) {
    in_slices(batch.count, [&](int first, unsigned slice) {
      const std::byte* jobs = first_job(batch) + static_cast<size_t>(first) * batch.stride;
      sampled_kernel<In, Out, Map><<<dim3(blocks, slice), kSampledThreads, 0, stream_of(batch)>>>(jobs, batch.stride);
    });
  };
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&](auto from) {
    if (batch.in == batch.out) return start(from, from);
    among<float>(batch.out, [&](auto to) { start(from, to); });
  });
  check_launch("looking up elements of a batch");
}

}  // namespace

using kernels::kSampledAffine;
PENSTOCK_KERNEL(kSampledAffine, launch_sampled<kernels::AffineMap>)

}  // namespace penstock::cuda
