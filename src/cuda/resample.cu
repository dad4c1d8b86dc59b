#include <algorithm>

#include "cuda/check.h"
#include "cuda/elements.cuh"
#include "cuda/kernels.h"

namespace penstock::cuda {
namespace {

constexpr int kThreads = 256;

/// One thread `kChannels` neighbours of the result: sums along y, then x, then z. The CPU may go another way, so float
/// results differ in the last bits.
template <class In, class Out, class Index, int kChannels>
__device__ void resample_sample(const device::ResampleJob& job) {
  const Index row = static_cast<Index>(job.x.extent) * (job.channels / kChannels);
  const Index total = row * job.y.extent * job.z.extent * job.outer;
  const Index stride = static_cast<Index>(gridDim.x) * kThreads;
  const int64_t pitch = int64_t{job.columns} * job.channels;
  for (Index i = static_cast<Index>(blockIdx.x) * kThreads + threadIdx.x; i < total; i += stride) {
    const Index line = i / row;
    const auto in_row = static_cast<int32_t>(i - line * row);
    const int32_t groups = job.channels / kChannels;
    const int32_t x = groups == 1 ? in_row : in_row / groups, channel = in_row - x * groups;
    const Index plane = line / job.y.extent;
    const auto y = static_cast<int32_t>(line - plane * job.y.extent);
    const Index outer = plane / job.z.extent;
    const auto z = static_cast<int32_t>(plane - outer * job.z.extent);
    const float* wx = job.x.weights + int64_t{x} * job.x.taps;
    const float* wy = job.y.weights + int64_t{y} * job.y.taps;
    const float* wz = job.z.weights + int64_t{z} * job.z.taps;
    const In* in = static_cast<const In*>(job.in) +
                   ((int64_t{outer} * job.in_planes + job.z.first[z]) * job.rows + job.y.first[y]) * pitch +
                   int64_t{job.x.first[x]} * job.channels + channel;
    float sum[kChannels] = {};
    for (int k = 0; k < job.z.taps; ++k) {
      float in_plane[kChannels] = {};
      for (int j = 0; j < job.x.taps; ++j) {
        const In* column = in + k * job.rows * pitch + int64_t{j} * job.channels;
        float down[kChannels] = {};
        for (int t = 0; t < job.y.taps; ++t, column += pitch)
          for (int c = 0; c < kChannels; ++c) down[c] = fmaf(wy[t], to_float(column[c]), down[c]);
        for (int c = 0; c < kChannels; ++c) in_plane[c] = fmaf(wx[j], down[c], in_plane[c]);
      }
      for (int c = 0; c < kChannels; ++c) sum[c] = fmaf(wz[k], in_plane[c], sum[c]);
    }
    Out* out = static_cast<Out*>(job.out) + int64_t{i} * kChannels;
    for (int c = 0; c < kChannels; ++c) out[c] = convert<Out>(sum[c]);
  }
}

template <class In, class Out, class Index>
__global__ void __launch_bounds__(kThreads) resample_kernel(const device::ResampleJob* jobs) {
  __shared__ device::ResampleJob job;
  for (unsigned i = threadIdx.x; i < sizeof(job) / sizeof(int32_t); i += kThreads)
    reinterpret_cast<int32_t*>(&job)[i] = reinterpret_cast<const int32_t*>(jobs + blockIdx.y)[i];
  __syncthreads();
  if (job.channels == 3)
    resample_sample<In, Out, Index, 3>(job);
  else
    resample_sample<In, Out, Index, 1>(job);
}

}  // namespace

void resample(cudaStream_t stream, DType in, DType out, const device::ResampleJob* jobs, int count,
              int64_t most_elements) {
  if (!count || !most_elements) return;
  // Of pictures with three channels a third of the blocks will do; the others find nothing left.
  const dim3 grid(static_cast<unsigned>(std::min<int64_t>((most_elements + kThreads - 1) / kThreads, 65535)),
                  static_cast<unsigned>(count));
  among<uint8_t, int16_t, uint16_t, float>(in, [&](auto from) {
    with_index(most_elements, [&](auto index) {
      using In = typename decltype(from)::type;
      using Index = typename decltype(index)::type;
      if (out == DType::kFloat) return resample_kernel<In, float, Index><<<grid, kThreads, 0, stream>>>(jobs);
      resample_kernel<In, In, Index><<<grid, kThreads, 0, stream>>>(jobs);
    });
  });
  check_launch("resampling a batch");
}

}  // namespace penstock::cuda
