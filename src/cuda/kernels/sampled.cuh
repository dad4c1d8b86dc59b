// Looking elements up, for a ragged batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/kernels/sampled_pixels.cuh"
#include "cuda/kernels/sampled_tiles.cuh"

namespace penstock::cuda {

template <class In, class Out, class Map>
__global__ void __launch_bounds__(kSampledThreads, kSampledBlocks<In>)
    sampled_kernel(const std::byte* jobs, size_t stride) {
  __shared__ kernels::SampledJob<Map> job;
  static_assert(sizeof(job) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kSampledThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y * stride)[i];
  __syncthreads();
  if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>)
    if (make_pixels(job)) return;
  if (job.source.ndim == 3)
    sample_tiles<In, Out, true>(job);
  else
    sample_tiles<In, Out, false>(job);
}

}  // namespace penstock::cuda
