// Resizing pictures and volumes, for a ragged batch.
#pragma once

#include <cstdint>
#include <type_traits>

#include "cuda/kernels/resample_pixels.cuh"
#include "cuda/support/divide.cuh"
#include "cuda/support/threads.cuh"
#include "cuda/support/types.cuh"
#include "kernels/resample/job.h"

namespace penstock::cuda {

inline constexpr int kResampleThreads = 256;

/// How results are numbered: pixels of a line, lines of a plane, planes of a volume.
template <class Index>
struct Dividers {
  Divider<Index> line, plane, volume;
};

/// One thread `kChannels` neighbours of the result: sums along y, then x, then z (not in pictures, `kVolume`). The CPU
/// may go another way, so float results differ in the last bits.
/// @tparam kTaps of both axes, where that is known: all pixels are then on their way at once
template <class In, class Out, class Index, int kChannels, bool kVolume, int kTaps = 0>
__device__ void resample_sample(const kernels::ResampleJob& job, const Dividers<Index>& divide) {
  const int32_t groups = job.channels / kChannels;
  const Index line_size = static_cast<Index>(job.x.extent) * groups;
  const Index total = line_size * job.y.extent * job.z.extent * job.outer;
  const Index stride = static_cast<Index>(gridDim.x) * kResampleThreads;
  const int64_t pitch = int64_t{job.columns} * job.channels;
  for (Index i = static_cast<Index>(blockIdx.x) * kResampleThreads + threadIdx.x; i < total; i += stride) {
    const Index line = divide.line.quotient(i);
    const auto in_line = static_cast<int32_t>(i - line * line_size);
    const int32_t x = kChannels == 3 ? in_line : in_line / groups, channel = in_line - x * groups;
    const Index plane = divide.plane.quotient(line);
    const auto y = static_cast<int32_t>(line - plane * job.y.extent);
    const Index outer = kVolume ? divide.volume.quotient(plane) : plane;
    const auto z = static_cast<int32_t>(plane - outer * (kVolume ? job.z.extent : 1));
    const float* wx = job.x.weights + int64_t{x} * job.x.taps;
    const float* wy = job.y.weights + int64_t{y} * job.y.taps;
    const float* wz = job.z.weights + int64_t{z} * job.z.taps;
    const In* in = static_cast<const In*>(job.in) +
                   (((int64_t{outer} + job.skipped) * job.in_planes + (kVolume ? job.z.first[z] : 0)) * job.rows +
                    job.y.first[y]) *
                       pitch +
                   int64_t{job.x.first[x]} * job.channels + channel;
    float sum[kChannels] = {};
    for (int k = 0; k < (kVolume ? job.z.taps : 1); ++k) {
      float in_plane[kChannels] = {};
#pragma unroll(kTaps > 0 ? kTaps : 1)
      for (int j = 0; j < (kTaps > 0 ? kTaps : job.x.taps); ++j) {
        const In* column = in + k * job.rows * pitch + int64_t{j} * job.channels;
        float down[kChannels] = {};
#pragma unroll(kTaps > 0 ? kTaps : 1)
        for (int t = 0; t < (kTaps > 0 ? kTaps : job.y.taps); ++t, column += pitch)
#pragma unroll
          for (int c = 0; c < kChannels; ++c) down[c] = fmaf(wy[t], to_float(column[c]), down[c]);
#pragma unroll
        for (int c = 0; c < kChannels; ++c) in_plane[c] = fmaf(wx[j], down[c], in_plane[c]);
      }
#pragma unroll
      for (int c = 0; c < kChannels; ++c) sum[c] = kVolume ? fmaf(wz[k], in_plane[c], sum[c]) : in_plane[c];
    }
    Out* out = static_cast<Out*>(job.out) + int64_t{i} * kChannels;
#pragma unroll
    for (int c = 0; c < kChannels; ++c) out[c] = convert<Out>(sum[c]);
  }
}

template <class In, class Out, class Index>
__global__ void __launch_bounds__(kResampleThreads, 4) resample_kernel(const kernels::ResampleJob* jobs) {
  __shared__ kernels::ResampleJob job;
  __shared__ Dividers<Index> divide;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kResampleThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  if (job.outer == 0) return;
  const bool flat = job.z.extent == 1 && job.z.taps == 1 && job.in_planes == 1, rgb = job.channels == 3;
  const bool linear = job.x.taps == 2 && job.y.taps == 2;
  if constexpr (std::is_same_v<In, uint8_t> && std::is_same_v<Out, uint8_t>)
    if (rgb && flat && linear && resample_pixels(job)) return;
  if (threadIdx.x == 0) divide.line = Divider<Index>(static_cast<Index>(job.x.extent) * (rgb ? 1 : job.channels));
  if (threadIdx.x == 32) divide.plane = Divider<Index>(job.y.extent);
  if (threadIdx.x == 64) divide.volume = Divider<Index>(job.z.extent);
  __syncthreads();
  if (rgb && flat && linear)
    resample_sample<In, Out, Index, 3, false, 2>(job, divide);
  else if (rgb && flat)
    resample_sample<In, Out, Index, 3, false>(job, divide);
  else if (rgb)
    resample_sample<In, Out, Index, 3, true>(job, divide);
  else
    resample_sample<In, Out, Index, 1, true>(job, divide);
}

}  // namespace penstock::cuda
