// Elements taken from elsewhere, for a ragged batch: a thread makes four neighbours, which it finds one from the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cuda/support/divide.cuh"
#include "cuda/support/threads.cuh"
#include "cuda/support/types.cuh"
#include "kernels/gather/job.h"

namespace penstock::cuda {

inline constexpr int kGatherThreads = 256, kGatherEach = 4;

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
__device__ Out fill_of(const kernels::GatherJob& job, int32_t channel) {
  const float value = job.fills ? job.fills[channel] : 0.f;
  return convert<Out>(std::is_integral_v<Out> ? truncf(value) : value);
}

/// Where an element lies: its indices along the last two axes, and what those before them and the last but one add up
/// to. Elements with fewer axes have axes of one element before them.
template <class Index>
class GatherPlace {
 public:
  __device__ GatherPlace(const kernels::GatherJob& job, const Divider<Index>* dividers)
      : job_(job), dividers_(dividers) {}

  __device__ void go_to(Index i) {
    const int last = job_.ndim - 1;
    Index outer = quotient(last, i);
    index_ = static_cast<int32_t>(i - outer * extent(last));
    i = outer, outer = quotient(last - 1, i);
    line_ = static_cast<int32_t>(i - outer * extent(last - 1));
    before_ = {};
    for (int axis = last - 2; axis >= 0; --axis) {
      i = outer, outer = quotient(axis, i);
      before_.add(job_, axis, static_cast<int32_t>(i - outer * extent(axis)));
    }
    begin_line();
  }
  /// To the next element. @return false where it lies beyond the last two axes
  __device__ bool go_on() {
    const int last = job_.ndim - 1;
    if (++index_ < extent(last)) return true;
    index_ = 0;
    if (++line_ >= extent(last - 1)) return false;
    begin_line();
    return true;
  }

  template <class In, class Out>
  __device__ Out element() const {
    Sum at = with_line_;
    at.add(job_, job_.ndim - 1, index_);
    if (at.outside) return fill_of<Out>(job_, at.channel);
    const In in = static_cast<const In*>(job_.in)[at.offset];
    if (!job_.mean) return as_it_is<In, Out>(in, job_.truncate);
    return convert<Out>((to_float(in) - job_.mean[at.channel]) * job_.inverse[at.channel]);
  }

 private:
  struct Sum {
    int64_t offset = 0;
    int32_t channel = 0;
    bool outside = false;

    __device__ void add(const kernels::GatherJob& job, int axis, int32_t index) {
      if (axis < 0) return;
      const int32_t step = __ldg(job.offsets[axis] + index);
      outside |= step == kernels::kOutside;
      offset += step;
      if (axis == job.channel_axis) channel = index;
    }
  };
  __device__ int32_t extent(int axis) const { return axis < 0 ? 1 : job_.extents[axis]; }
  __device__ Index quotient(int axis, Index i) const { return axis < 0 ? i : dividers_[axis].quotient(i); }
  __device__ void begin_line() {
    with_line_ = before_;
    with_line_.add(job_, job_.ndim - 2, line_);
  }

  const kernels::GatherJob& job_;
  const Divider<Index>* dividers_;
  int32_t index_ = 0, line_ = 0;
  Sum before_, with_line_;
};

/// Neighbours that are stored at once where they lie at a multiple of their size, or of 16 bytes.
template <class T>
struct alignas(sizeof(T) * kGatherEach < 16 ? sizeof(T) * kGatherEach : 16) GatherFour {
  T values[kGatherEach];
};

template <class In, class Out, class Index>
__global__ void __launch_bounds__(kGatherThreads) gather_kernel(const kernels::GatherJob* jobs) {
  __shared__ kernels::GatherJob job;
  __shared__ Divider<Index> dividers[kernels::kGatherAxes];
  constexpr size_t kWords = sizeof(job) / sizeof(int32_t);
  static_assert(sizeof(job) % sizeof(int32_t) == 0 && kWords <= kGatherThreads);
  if (threadIdx.x < kWords)
    reinterpret_cast<int32_t*>(&job)[threadIdx.x] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < static_cast<uint32_t>(job.ndim))
    dividers[threadIdx.x] = Divider<Index>(max(job.extents[threadIdx.x], 1));
  __syncthreads();
  Index total = 1;
  for (int axis = 0; axis < job.ndim; ++axis) total *= job.extents[axis];
  using Four = GatherFour<Out>;
  Out* const out = static_cast<Out*>(job.out);
  const bool aligned = reinterpret_cast<uintptr_t>(out) % alignof(Four) == 0;
  const Index stride = static_cast<Index>(gridDim.x) * (kGatherThreads * kGatherEach);
  GatherPlace<Index> place(job, dividers);
  for (Index i = (static_cast<Index>(blockIdx.x) * kGatherThreads + threadIdx.x) * kGatherEach; i < total;
       i += stride) {
    Four made = {};
    place.go_to(i);
    const int count = total - i < kGatherEach ? static_cast<int>(total - i) : kGatherEach;
#pragma unroll
    for (int k = 0; k < kGatherEach; ++k) {
      if (k >= count) break;
      if (k > 0 && !place.go_on()) place.go_to(i + k);
      made.values[k] = place.template element<In, Out>();
    }
    if (aligned && count == kGatherEach) {
      *reinterpret_cast<Four*>(out + i) = made;
    } else {
#pragma unroll
      for (int k = 0; k < kGatherEach; ++k)
        if (k < count) out[i + k] = made.values[k];
    }
  }
}

}  // namespace penstock::cuda
