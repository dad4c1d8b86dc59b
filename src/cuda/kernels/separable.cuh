// One pass of a convolution along axes, for a ragged batch: each thread block takes pieces of one job's result.
#pragma once

#include <cstdint>

#include "core/convert.h"
#include "cuda/support/threads.cuh"
#include "kernels/separable/body.h"

namespace penstock::cuda {

inline constexpr int kSeparableThreads = 256;

/// A pass between two memories.
template <class In, class Out>
struct SeparableWork {
  const kernels::SeparablePass& pass;
  kernels::Border border;
  const In* in;
  Out* out;
  float* room;  ///< kSeparableRoom floats that the thread block shares
};
inline constexpr int32_t kSeparableRoom = 6144;
// With fewer elements between neighbours of the axis, neighbouring threads would not find theirs side by side in rows.
inline constexpr int32_t kSeparableWide = 32;
// Results of a thread along the axis: each element that it loads is for all of them.
inline constexpr int32_t kSeparableRows = 8;

// Results of a thread in a line: each weight that it loads is for all of them.
inline constexpr int32_t kSeparableAtOnce = 4;

/// So many indices of a line at a time, with the window's margins, have room; 0: the margins alone have not.
__device__ inline int32_t separable_segment(const kernels::SeparablePass& pass) {
  const int64_t most = kSeparableRoom / pass.inner - (int64_t{pass.taps} - 1);
  return most < 1 ? 0 : static_cast<int32_t>(min(most, int64_t{pass.out_extent}));
}

/// Neighbours of the axis lie close: lines pass through shared memory, borders laid out.
template <class In, class Out>
__device__ void convolve_lines(const SeparableWork<In, Out>& w, int32_t segment) {
  const kernels::SeparablePass& pass = w.pass;
  const int32_t inner = pass.inner;
  const int64_t segments = (int64_t{pass.out_extent} + segment - 1) / segment;
  for (int64_t unit = blockIdx.x; unit < pass.outer * segments; unit += gridDim.x) {
    const int64_t outer = unit / segments;
    const auto first = static_cast<int32_t>((unit - outer * segments) * segment);
    const int32_t count = min(segment, pass.out_extent - first);
    const In* in = w.in + outer * pass.in_extent * inner;
    __syncthreads();  // nobody reads the last line any more
    for (int32_t e = threadIdx.x; e < (count + pass.taps - 1) * inner; e += kSeparableThreads) {
      const int32_t index = e / inner, at = kernels::source_index(pass, w.border, first, index);
      w.room[e] = at < 0 ? 0.0f : static_cast<float>(in[int64_t{at} * inner + (e - index * inner)]);
    }
    __syncthreads();
    Out* out = w.out + (outer * pass.out_extent + first) * inner;
    const int32_t elements = count * inner;
    for (int32_t e = threadIdx.x; e < elements; e += kSeparableThreads * kSeparableAtOnce) {
      float sums[kSeparableAtOnce] = {};
      for (int32_t tap = 0; tap < pass.taps; ++tap) {
        const float weight = kernels::weight_of(pass, tap);
#pragma unroll
        for (int32_t k = 0; k < kSeparableAtOnce; ++k)
          sums[k] += weight * w.room[min(e + k * kSeparableThreads, elements - 1) + tap * inner];
      }
#pragma unroll
      for (int32_t k = 0; k < kSeparableAtOnce; ++k)
        if (e + k * kSeparableThreads < elements) out[e + k * kSeparableThreads] = convert_sat<Out>(sums[k]);
    }
  }
}

/// They lie far apart: a thread has neighbouring results of one column, neighbouring threads neighbouring columns.
template <class In, class Out>
__device__ void convolve_columns(const SeparableWork<In, Out>& w) {
  const kernels::SeparablePass& pass = w.pass;
  const int64_t groups = (int64_t{pass.out_extent} + kSeparableRows - 1) / kSeparableRows;
  const int64_t all = pass.outer * groups * pass.inner, step = int64_t{gridDim.x} * kSeparableThreads;
  for (int64_t i = int64_t{blockIdx.x} * kSeparableThreads + threadIdx.x; i < all; i += step) {
    const int64_t group = i / pass.inner, outer = group / groups;
    const int64_t column = i - group * pass.inner;
    const auto first = static_cast<int32_t>((group - outer * groups) * kSeparableRows);
    const In* in = w.in + outer * pass.in_extent * pass.inner + column;
    float sums[kSeparableRows] = {}, weights[kSeparableRows] = {};  // of the taps that this row is for each result
    for (int32_t row = 0; row < pass.taps + kSeparableRows - 1; ++row) {
      const int32_t at = kernels::source_index(pass, w.border, first, row);
      const float x = at < 0 ? 0.0f : static_cast<float>(in[int64_t{at} * pass.inner]);
#pragma unroll
      for (int32_t k = kSeparableRows - 1; k > 0; --k) weights[k] = weights[k - 1];
      weights[0] = row < pass.taps ? kernels::weight_of(pass, row) : 0;
#pragma unroll
      for (int32_t k = 0; k < kSeparableRows; ++k)
        if (row >= k && row - k < pass.taps) sums[k] += weights[k] * x;
    }
    Out* out = w.out + (outer * pass.out_extent + first) * pass.inner + column;
#pragma unroll
    for (int32_t k = 0; k < kSeparableRows; ++k)
      if (first + k < pass.out_extent) out[int64_t{k} * pass.inner] = convert_sat<Out>(sums[k]);
  }
}

/// Windows whose margins have no room in shared memory.
template <class In, class Out>
__device__ void convolve_elements(const SeparableWork<In, Out>& w) {
  const kernels::SeparablePass& pass = w.pass;
  const int64_t all = pass.elements(), step = int64_t{gridDim.x} * kSeparableThreads;
  for (int64_t i = int64_t{blockIdx.x} * kSeparableThreads + threadIdx.x; i < all; i += step) {
    const int64_t row = i / pass.inner, outer = row / pass.out_extent;
    const In* in = w.in + outer * pass.in_extent * pass.inner + (i - row * pass.inner);
    const auto element = [&](int32_t at) { return static_cast<float>(in[int64_t{at} * pass.inner]); };
    const auto index = static_cast<int32_t>(row - outer * pass.out_extent);
    w.out[i] = convert_sat<Out>(kernels::convolved(pass, w.border, index, element));
  }
}

template <class In, class Out>
__device__ void separable_pass(const SeparableWork<In, Out>& w) {
  if (w.pass.elements() == 0) return;
  if (w.pass.inner >= kSeparableWide)
    convolve_columns(w);
  else if (const int32_t segment = separable_segment(w.pass); segment > 0)
    convolve_lines(w, segment);
  else
    convolve_elements(w);
}

/// Pass `p` of the jobs that have one.
/// @tparam In  of the first pass; of later ones float
template <class In, class Out>
__global__ void __launch_bounds__(kSeparableThreads)
    separable_kernel(const std::byte* jobs, size_t stride, int32_t p) {
  __shared__ float room[kSeparableRoom];
  __shared__ kernels::SeparableJob job;
  static_assert(sizeof(job) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(job) / sizeof(uint32_t); i += kSeparableThreads)
    reinterpret_cast<uint32_t*>(&job)[i] = reinterpret_cast<const uint32_t*>(jobs + blockIdx.y * stride)[i];
  __syncthreads();
  if (p >= job.passes) return;
  const auto* in = p == 0 ? static_cast<const In*>(job.in)
                          : reinterpret_cast<const In*>(job.between[kernels::between_of(p - 1)]);
  if (p + 1 == job.passes)
    separable_pass<In, Out>({job.pass[p], job.border, in, static_cast<Out*>(job.out), room});
  else
    separable_pass<In, float>({job.pass[p], job.border, in, job.between[kernels::between_of(p)], room});
}

}  // namespace penstock::cuda
