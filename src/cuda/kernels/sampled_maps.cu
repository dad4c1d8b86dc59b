// Looking pictures up by maps that are not affine.
#include <type_traits>

#include "cuda/kernels/sampled_pixels.cuh"
#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/sampled/maps.h"

namespace penstock::cuda {
namespace {

template <class T, class Map>
__global__ void __launch_bounds__(kSampledThreads, kSampledBlocks<T>)
    mapped_kernel(const kernels::SampledJob<Map>* jobs) {
  __shared__ kernels::SampledJob<Map> job;
  static_assert(sizeof(job) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kSampledThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  if constexpr (std::is_same_v<T, uint8_t>)
    if (make_pixels(job)) return;
  sample_tiles<T, T, false>(job);
}

template <class Map>
void launch_mapped(const device::JobBatch<kernels::SampledJob<Map>>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const unsigned blocks = blocks_of_job(batch.most_elements, sampled_each(batch.in), batch.count);
  among<uint8_t, int16_t, uint16_t, int32_t, float>(batch.in, [&](auto type) {
    using T = typename decltype(type)::type;
    in_slices(batch.count, [&](int first, unsigned slice) {
      mapped_kernel<T, Map><<<dim3(blocks, slice), kSampledThreads, 0, stream_of(batch)>>>(batch.jobs + first);
    });
  });
  check_launch("looking pictures of a batch up");
}

}  // namespace

using kernels::kSampledJitter;
using kernels::kSampledPerspective;
using kernels::kSampledSphere;
using kernels::kSampledTable;
using kernels::kSampledWave;
PENSTOCK_KERNEL(kSampledPerspective, launch_mapped<kernels::PerspectiveMap>)
PENSTOCK_KERNEL(kSampledTable, launch_mapped<kernels::TableMap>)
PENSTOCK_KERNEL(kSampledWave, launch_mapped<kernels::WaveMap>)
PENSTOCK_KERNEL(kSampledSphere, launch_mapped<kernels::SphereMap>)
PENSTOCK_KERNEL(kSampledJitter, launch_mapped<kernels::JitterMap>)

}  // namespace penstock::cuda
