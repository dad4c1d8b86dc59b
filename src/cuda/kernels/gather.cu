#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/gather/job.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kPerThread = 4;

/// Elements without factors are converted as they are, in integers where both types are.
template <class In, class Out>
__device__ Out as_it_is(In value, bool truncate) {
  if constexpr (std::is_same_v<In, Out>) {
    return value;
  } else {
    const float x = to_float(value);
    return convert<Out>(truncate ? truncf(x) : x);
  }
}

/// Integers drop the fraction of a fill value.
template <class Out>
__device__ Out fill(float value) {
  constexpr bool whole = !std::is_same_v<Out, float> && !std::is_same_v<Out, double> && !std::is_same_v<Out, __half>;
  return convert<Out>(whole ? truncf(value) : value);
}

template <class In, class Out, class Index>
__global__ void __launch_bounds__(kThreads) gather_kernel(const kernels::GatherJob* jobs) {
  __shared__ kernels::GatherJob job;
  if (threadIdx.x < sizeof(job) / sizeof(int32_t))
    reinterpret_cast<int32_t*>(&job)[threadIdx.x] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[threadIdx.x];
  __syncthreads();
  __shared__ Divider<Index> dividers[kernels::kGatherAxes];
  if (threadIdx.x < job.ndim) dividers[threadIdx.x] = Divider<Index>(max(job.extents[threadIdx.x], 1));
  __syncthreads();
  Index total = 1;
  for (int axis = 0; axis < job.ndim; ++axis) total *= job.extents[axis];
  const Index stride = static_cast<Index>(gridDim.x) * kThreads;
  for (Index i = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; i < total; i += stride) {
    Index left = i;
    int64_t offset = 0;
    int channel = 0;
    bool outside = false;
    for (int axis = job.ndim - 1; axis >= 0; --axis) {
      const Index outer = dividers[axis].quotient(left);
      const auto index = static_cast<int32_t>(left - outer * job.extents[axis]);
      left = outer;
      const int32_t step = __ldg(job.offsets[axis] + index);
      outside |= step == kernels::kOutside;
      offset += step;
      if (axis == job.channel_axis) channel = index;
    }
    Out value;
    if (outside) {
      value = fill<Out>(job.fills ? job.fills[channel] : 0.f);
    } else {
      const In in = static_cast<const In*>(job.in)[offset];
      value = job.mean ? convert<Out>((to_float(in) - job.mean[channel]) * job.inverse[channel])
                       : as_it_is<In, Out>(in, job.truncate);
    }
    static_cast<Out*>(job.out)[i] = value;
  }
}
constexpr size_t kWords = sizeof(kernels::GatherJob) / sizeof(int32_t);
static_assert(sizeof(kernels::GatherJob) % sizeof(int32_t) == 0 && kWords <= kThreads);

void launch_gather(const device::JobBatch<kernels::GatherJob>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const int64_t all = (batch.most_elements + kThreads * kPerThread - 1) / (kThreads * kPerThread);
  const auto strips = static_cast<unsigned>(std::min<int64_t>(all, 65535));
  const auto start = [&]<class In, class Out>(Type<In>, Type<Out>) {
    with_index(batch.most_elements, [&]<class Index>(Type<Index>) {
      in_slices(batch.count, [&](int first, unsigned slice) {
        gather_kernel<In, Out, Index><<<dim3(strips, slice), kThreads, 0, stream_of(batch)>>>(batch.jobs + first);
      });
    });
  };
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, __half, float, double, bool>(
      batch.in, [&](auto from) {
        if (batch.in == batch.out) return start(from, from);
        among<uint8_t, int8_t, float, __half>(batch.out, [&](auto to) { start(from, to); });
      });
  check_launch("gathering a batch");
}

}  // namespace

using kernels::kGather;
PENSTOCK_KERNEL(kGather, launch_gather)

}  // namespace penstock::cuda
