// Tensors at the beginning of larger ones: each thread makes 16 bytes, which mostly come out of the tensor or are
// filled.
#pragma once

#include <cstdint>

#include "cuda/support/divide.cuh"
#include "cuda/support/run.cuh"
#include "kernels/pad/job.h"

namespace penstock::cuda {

using kernels::PadJob;

inline constexpr int kPadThreads = 256;

/// Where an element of the result lies in the input.
template <class Index>
struct PadPlace {
  Index line = 0;     ///< of the last axis
  Index element = 0;  ///< along it
  Index from = 0;     ///< of the input: the line's first element
  bool held = true;   ///< the input has the line
};

template <class Index>
__device__ PadPlace<Index> place_in_input(const PadJob& job, const Divider<Index>* by, Index at) {
  PadPlace<Index> place;
  const int last = job.ndim - 1;
  place.line = by[last].quotient(at);
  place.element = at - place.line * static_cast<Index>(job.extents[last]);
  Index left = place.line, step = static_cast<Index>(job.held[last]);
  for (int axis = last - 1; axis >= 0; --axis) {
    const Index outer = axis > 0 ? by[axis].quotient(left) : 0;
    const Index index = left - outer * static_cast<Index>(job.extents[axis]);
    left = outer;
    place.held = place.held && index < job.held[axis];
    place.from += index * step;
    step *= static_cast<Index>(job.held[axis]);
  }
  return place;
}

template <class T, class Index>
__global__ void __launch_bounds__(kPadThreads) pad_kernel(const PadJob* jobs) {
  constexpr Index kRun = kRunBytes / sizeof(T);
  __shared__ PadJob job;
  __shared__ Divider<Index> by[kMaxDims];
  static_assert(sizeof(job) % sizeof(uint32_t) == 0 && sizeof(job) / sizeof(uint32_t) <= kPadThreads);
  if (threadIdx.x < sizeof(job) / sizeof(uint32_t))
    reinterpret_cast<uint32_t*>(&job)[threadIdx.x] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y)[threadIdx.x];
  __syncthreads();
  const auto axis = static_cast<int32_t>(threadIdx.x);
  if (axis < job.ndim) by[axis] = Divider<Index>(max(static_cast<Index>(job.extents[axis]), Index{1}));
  __syncthreads();
  const auto all = static_cast<Index>(job.elements()), held = static_cast<Index>(job.held[job.ndim - 1]),
             line = static_cast<Index>(job.extents[job.ndim - 1]);
  const T* const in = static_cast<const T*>(job.in);
  T* const out = static_cast<T*>(job.out);
  const uint4 filled = *reinterpret_cast<const uint4*>(job.fill);
  const auto fill = *reinterpret_cast<const T*>(job.fill);
  const Index before = elements_before(out), step = static_cast<Index>(gridDim.x) * kPadThreads * kRun;
  Index at = (static_cast<Index>(blockIdx.x) * kPadThreads + static_cast<Index>(threadIdx.x)) * kRun - before;
  for (; at < all; at += step) {
    if (at >= 0) {
      const PadPlace<Index> place = place_in_input(job, by, at);
      const bool whole = place.element + kRun <= line, inside = place.held && place.element + kRun <= held;
      if (whole && (inside || !place.held || place.element >= held)) {
        *reinterpret_cast<uint4*>(out + at) = inside ? load_run(in + place.from + place.element) : filled;
        continue;
      }
    }
    const Index end = min(at + kRun, all);
    for (Index i = max(at, Index{0}); i < end; ++i) {
      const PadPlace<Index> place = place_in_input(job, by, i);
      out[i] = place.held && place.element < held ? in[place.from + place.element] : fill;
    }
  }
}

}  // namespace penstock::cuda
