// Separable convolution: along z where there are volumes, then y, then x, each a launch, with floats in between.
#include <algorithm>

#include "cuda/runtime/check.h"
#include "cuda/runtime/kernel.h"
#include "cuda/support/divide.cuh"
#include "cuda/support/slices.h"
#include "cuda/support/types.cuh"
#include "kernels/convolve/job.h"

namespace penstock::cuda {
namespace {

using kernels::ConvolveJob;
using kernels::ConvolveJobAxis;

constexpr int kThreads = 256;
/// Neighbours along the axis that one thread makes: each source element is loaded once for all of them.
constexpr int kTogether = 4;

__device__ int32_t reflected(int32_t i, int32_t extent) {
  if (extent == 1) return 0;
  while (i < 0 || i >= extent) i = i < 0 ? -i : 2 * extent - 2 - i;
  return i;
}

__device__ void load_job(ConvolveJob& job, const ConvolveJob* jobs) {
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
}

/// out[outer][wanted][i] = sum over k of weights[k] in[outer][pixel k of the window][i], i < line.
template <class In, class Index>
__device__ void convolve_lines(const In* in, float* out, const ConvolveJobAxis& axis, int term, int32_t outer,
                               Index line) {
  __shared__ Divider<Index> by_line, by_groups;
  const int32_t groups = (axis.wanted + kTogether - 1) / kTogether, taps = axis.taps[term];
  if (threadIdx.x == 0) by_line = Divider<Index>(max(line, Index{1}));
  if (threadIdx.x == 32) by_groups = Divider<Index>(max(groups, 1));
  __syncthreads();
  const float* weights = axis.weights[term];
  const Index total = static_cast<Index>(outer) * groups * line;
  for (Index n = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; n < total;
       n += static_cast<Index>(gridDim.x) * kThreads) {
    const Index row = by_line.quotient(n), image = by_groups.quotient(row);
    const Index i = n - row * line;
    const auto first = static_cast<int32_t>(row - image * groups) * kTogether;
    const In* from = in + image * axis.held * line + i;
    float sums[kTogether] = {};
    for (int t = 0; t < taps + kTogether - 1; ++t) {
      const int32_t at = reflected(axis.wanted_begin + first + t - taps / 2, axis.extent) - axis.held_begin;
      if (at < 0 || at >= axis.held) continue;  // only results beyond the wanted ones need it
      const float value = to_float(from[static_cast<Index>(at) * line]);
#pragma unroll
      for (int r = 0; r < kTogether; ++r)
        if (t >= r && t - r < taps) sums[r] = fmaf(weights[t - r], value, sums[r]);
    }
    float* to = out + (image * axis.wanted + first) * line + i;
#pragma unroll
    for (int r = 0; r < kTogether; ++r)
      if (first + r < axis.wanted) to[static_cast<Index>(r) * line] = sums[r];
  }
}

template <class In, class Index>
__global__ void __launch_bounds__(kThreads) along_z(const ConvolveJob* jobs, int term) {
  __shared__ ConvolveJob job;
  load_job(job, jobs);
  convolve_lines<In, Index>(static_cast<const In*>(job.in), job.planes, job.z, term, job.outer,
                            static_cast<Index>(job.y.held) * job.x.held * job.channels);
}

/// @tparam In  the input's type, or float behind along_z
template <class In, class Index>
__global__ void __launch_bounds__(kThreads) along_y(const ConvolveJob* jobs, int term, bool behind_z) {
  __shared__ ConvolveJob job;
  load_job(job, jobs);
  const void* in = behind_z ? job.planes : job.in;
  convolve_lines<In, Index>(static_cast<const In*>(in), job.lines, job.y, term, job.outer * job.z.wanted,
                            static_cast<Index>(job.x.held) * job.channels);
}

/// One thread an element of the result.
template <class Out, class Index>
__global__ void __launch_bounds__(kThreads) along_x(const ConvolveJob* jobs, int term, bool is_last) {
  __shared__ ConvolveJob job;
  __shared__ Divider<Index> by_line, by_channels;
  load_job(job, jobs);
  const Index line = static_cast<Index>(job.x.wanted) * job.channels;
  const Index source = static_cast<Index>(job.x.held) * job.channels;
  if (threadIdx.x == 0) by_line = Divider<Index>(max(line, Index{1}));
  if (threadIdx.x == 32) by_channels = Divider<Index>(job.channels);
  __syncthreads();
  const int taps = job.x.taps[term];
  const float* weights = job.x.weights[term];
  const Index total = line * job.y.wanted * job.z.wanted * job.outer;
  for (Index n = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; n < total;
       n += static_cast<Index>(gridDim.x) * kThreads) {
    const Index row = by_line.quotient(n), in_line = n - row * line;
    const auto x = static_cast<int32_t>(by_channels.quotient(in_line));
    const int32_t channel = static_cast<int32_t>(in_line) - x * job.channels;
    const int32_t first = job.x.wanted_begin + x - taps / 2;
    const float* from = job.lines + row * source + channel;
    float sum = 0;
    if (first >= 0 && first + taps <= job.x.extent) {
      from += static_cast<Index>(first - job.x.held_begin) * job.channels;
      for (int k = 0; k < taps; ++k) sum = fmaf(weights[k], from[static_cast<Index>(k) * job.channels], sum);
    } else {
      for (int k = 0; k < taps; ++k) {
        const int32_t at = reflected(first + k, job.x.extent) - job.x.held_begin;
        sum = fmaf(weights[k], from[static_cast<Index>(at) * job.channels], sum);
      }
    }
    if (term > 0) sum += job.sum[n];
    if (is_last)
      static_cast<Out*>(job.out)[n] = convert<Out>(sum);
    else
      job.sum[n] = sum;
  }
}

template <class In, class Out, class Index>
void launch_passes(const device::JobBatch<ConvolveJob, kernels::ConvolveParameters>& batch, const ConvolveJob* jobs,
                   dim3 grid) {
  const int convolutions = batch.parameters.convolutions;
  cudaStream_t stream = stream_of(batch);
  for (int term = 0; term < convolutions; ++term) {
    if (batch.parameters.volume) {
      along_z<In, Index><<<grid, kThreads, 0, stream>>>(jobs, term);
      along_y<float, Index><<<grid, kThreads, 0, stream>>>(jobs, term, true);
    } else {
      along_y<In, Index><<<grid, kThreads, 0, stream>>>(jobs, term, false);
    }
    along_x<Out, Index><<<grid, kThreads, 0, stream>>>(jobs, term, term + 1 == convolutions);
  }
}

void launch_convolve(const device::JobBatch<ConvolveJob, kernels::ConvolveParameters>& batch) {
  if (!batch.count || !batch.most_elements) return;
  const auto strips = static_cast<unsigned>(std::min<int64_t>((batch.most_elements + kThreads - 1) / kThreads, 65535));
  among<uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, uint64_t, int64_t, __half, float, double>(
      batch.in, [&](auto type) {
        using In = typename decltype(type)::type;
        with_index(std::max(batch.most_elements, batch.parameters.most_held), [&](auto index) {
          using Index = typename decltype(index)::type;
          in_slices(batch.count, [&](int first, unsigned slice) {
            const dim3 grid(strips, slice);
            if (batch.out == batch.in)
              launch_passes<In, In, Index>(batch, batch.jobs + first, grid);
            else
              launch_passes<In, float, Index>(batch, batch.jobs + first, grid);
          });
        });
      });
  check_launch("convolving a batch");
}

}  // namespace

using kernels::kConvolve;
PENSTOCK_KERNEL(kConvolve, launch_convolve)

}  // namespace penstock::cuda
